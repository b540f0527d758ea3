//! From a cipher folder to a library: manifest, transposition, modes, packaging.
//!
//! Floors, in reading order: [`order`] (what bytes mean), [`manifest`] (what a cipher consists of), [`vectors`] (known
//! answers), [`pipeline`] (from a program to a kernel), [`driver`] (the C around kernels), [`library`] (all of it, for one target),
//! [`package`] (for all machines, behind one set of functions), [`construction`] (the C that is over primitives),
//! [`known_answers`] (the same tests every way), [`harness`] (the C that tests C), [`run`] (compiling and running it);
//! beside them [`bench`] (the C that times C), [`variant`] (all that can be chosen about it), [`tune`] (which of it is tried),
//! [`tuned`] (the file of what was found best).
//!
//! The crate is pure: it reads no file and starts no process, with the exception of [`run`].

pub mod bench;
pub mod construction;
pub mod disassembly;
pub mod driver;
pub mod harness;
pub mod known_answers;
pub mod library;
pub mod manifest;
pub mod order;
pub mod package;
pub mod pipeline;
pub mod run;
pub mod tune;
pub mod tuned;
pub mod variant;
pub mod vectors;

mod messages;

/// A file of a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputFile {
    /// Its path, relative to the folder of the library.
    pub path: String,
    /// Its text.
    pub contents: String,
}

/// The runtime file that is made to be included several times.
const INCLUDED_AGAIN: [&str; 1] = ["usuba_vector_size.h"];

/// The C headers that drivers include: the same for all ciphers, slicings and targets.
pub fn runtime() -> Vec<OutputFile> {
    let file = |path: &str, contents: &str| OutputFile { path: path.into(), contents: contents.into() };
    vec![
        file("usuba_format.h", include_str!("../../../runtime/usuba_format.h")),
        file("usuba_vector.h", include_str!("../../../runtime/usuba_vector.h")),
        file("usuba_vector_size.h", include_str!("../../../runtime/usuba_vector_size.h")),
        file("usuba_transpose_b.h", include_str!("../../../runtime/usuba_transpose_b.h")),
        file("usuba_transpose_h.h", include_str!("../../../runtime/usuba_transpose_h.h")),
        file("usuba_transpose_v.h", include_str!("../../../runtime/usuba_transpose_v.h")),
        file("usuba_transpose_p.h", include_str!("../../../runtime/usuba_transpose_p.h")),
        file("usuba_interleave.h", include_str!("../../../runtime/usuba_interleave.h")),
        file("usuba_count.h", include_str!("../../../runtime/usuba_count.h")),
        file("usuba_transpose.h", include_str!("../../../runtime/usuba_transpose.h")),
        file("usuba_buffers.h", include_str!("../../../runtime/usuba_buffers.h")),
        file("usuba_lanes.h", include_str!("../../../runtime/usuba_lanes.h")),
        file("usuba_drivers.h", include_str!("../../../runtime/usuba_drivers.h")),
    ]
}

/// The same and what a library of several implementations needs besides.
fn library_runtime() -> Vec<OutputFile> {
    let library = include_str!("../../../runtime/usuba_library.h");
    let mut files = runtime();
    files.push(OutputFile { path: "usuba_library.h".into(), contents: library.into() });
    files
}
