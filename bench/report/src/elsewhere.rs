//! Peers that the bench does not build, by figures of others for the same core; and why rows are behind their peers.

use crate::data::{Data, Peer};
use serde::Deserialize;

/// What the published compiler is called among the peers.
pub const PUBLISHED: &str = "Usuba as published";

/// A peer that was measured elsewhere.
#[derive(Debug, Deserialize)]
pub struct Elsewhere {
    /// The library.
    pub name: String,
    /// Its version; empty if nobody wrote it down.
    pub version: String,
    /// The core on which it was measured.
    pub core: String,
    /// `kernel`, or the mode of a whole path.
    pub mode: String,
    /// `constant time` or `tables`.
    pub method: String,
    /// What was built and how it was measured.
    pub source: String,
    /// Primitives as our manifests name them, the targets that have what was used, and core cycles per byte.
    pub rows: Vec<(String, String, f64)>,
}

/// Why a row of ours is behind a peer.
#[derive(Debug, Deserialize)]
pub struct Behind {
    /// The primitive, as our manifests name it.
    pub primitive: String,
    /// The target.
    pub target: String,
    /// The core on which it was looked into.
    pub core: String,
    /// What was found.
    pub cause: String,
}

/// What the page knows beside its data.
#[derive(Debug, Default)]
pub struct Known {
    /// Peers that were measured elsewhere.
    pub elsewhere: Vec<Elsewhere>,
    /// Causes.
    pub behind: Vec<Behind>,
}

/// All of it, which is data of this crate.
///
/// # Errors
/// The data do not parse.
pub fn known() -> serde_json::Result<Known> {
    Ok(Known {
        elsewhere: serde_json::from_str(include_str!("../data/elsewhere.json"))?,
        behind: serde_json::from_str(include_str!("../data/behind.json"))?,
    })
}

impl Known {
    /// The data with the peers that were measured elsewhere on the same core.
    pub fn beside(&self, data: &Data, core: &str) -> Data {
        let mut data = data.clone();
        for peer in self.elsewhere.iter().filter(|peer| peer.core == core) {
            data.peers.extend(peer.rows.iter().map(|(primitive, level, cycles)| Peer {
                name: peer.name.clone(),
                version: peer.version.clone(),
                primitive: primitive.clone(),
                mode: peer.mode.clone(),
                level: level.clone(),
                method: peer.method.clone(),
                cycles: Some(*cycles),
                elsewhere: true,
                ..Peer::default()
            }));
        }
        data
    }

    /// Why a row is behind.
    pub fn cause(&self, primitive: &str, target: &str, core: &str) -> Option<&str> {
        let of = |one: &&Behind| one.primitive == primitive && one.target == target && one.core == core;
        self.behind.iter().find(of).map(|one| one.cause.as_str())
    }
}
