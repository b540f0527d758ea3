//! Passes from Usuba0 to Usuba0.
