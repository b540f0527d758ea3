//! From Usuba0 to scheduled blocks to C.
