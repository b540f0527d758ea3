//! From typed Usuba programs to Usuba0.
