//! From a cipher folder to a library: manifest, transposition, modes, packaging.
