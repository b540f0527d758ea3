//! Wrong programs.
