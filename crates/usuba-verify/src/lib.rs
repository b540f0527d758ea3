//! Checks that two programs compute the same function.
