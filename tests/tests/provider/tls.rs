//! The provider in TLS: `openssl s_server` and `s_client` over the loopback, in every suite of TLS 1.2 and 1.3 whose cipher the
//! provider has, on both sides.
//!
//! One side has the provider, loaded before OpenSSL's own or, in some of the suites, asked for by a property; the other has
//! OpenSSL's own alone, so that records are right for somebody else. The server turns lines around, of lengths around those of blocks and of records.

use super::{Built, built, output, run};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// What `openssl ciphers -v` says of the encryption of suites that the provider has ciphers for.
const ENCRYPTIONS: [(&str, &str); 4] =
    [("camellia", "Camellia("), ("chacha20", "CHACHA20/POLY1305("), ("aes", "AESGCM("), ("aria", "ARIAGCM(")];

/// How a side gets the provider: before OpenSSL's, or behind it with the property.
const WAYS: [&[&str]; 2] = [
    &["-provider", "usuba", "-provider", "default"],
    &["-provider", "default", "-provider", "usuba", "-propquery", "?provider=usuba"],
];

/// Lengths of lines: the most that the server reads is 16 KiB.
const LINES: [usize; 12] = [1, 2, 14, 15, 16, 17, 31, 64, 255, 1000, 4096, 16000];

/// A server that is stopped when it is dropped.
struct Server {
    child: Child,
    port: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn server(folder: &str, provider: &[&str]) -> Server {
    let mut command = Command::new("openssl");
    command.arg("s_server").args(provider).args(["-accept", "127.0.0.1:0", "-rev", "-psk", "0102030405"]);
    command.args(["-cipher", "ALL:COMPLEMENTOFALL:@SECLEVEL=0"]);
    command.arg("-ciphersuites").arg(SUITES_OF_1_3.join(":"));
    command.args(["-cert", &format!("{folder}/rsa.pem"), "-key", &format!("{folder}/rsa.key")]);
    command.args(["-dcert", &format!("{folder}/ec.pem"), "-dkey", &format!("{folder}/ec.key")]);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("openssl starts");
    let printed = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut lines = printed.lines().map_while(Result::ok);
    let port = lines.by_ref().find_map(|line| {
        let address = line.strip_prefix("ACCEPT ")?.to_owned();
        Some(address.rsplit(':').next()?.to_owned())
    });
    let port = port.unwrap_or_else(|| panic!("the server does not listen: {command:?}"));
    // It must not wait for somebody to read.
    std::thread::spawn(move || lines.for_each(drop));
    Server { child, port }
}

const SUITES_OF_1_3: [&str; 3] =
    ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

/// Sends lines and looks at what comes back.
fn exchange(server: &Server, provider: &[&str], options: &[&str]) {
    let lines: Vec<String> = LINES
        .iter()
        .map(|&length| (0..length).map(|i| char::from(b'a' + ((i * 7 + length) % 26) as u8)).collect())
        .collect();
    let mut command = Command::new("openssl");
    command.arg("s_client").args(provider).args(["-connect", &format!("127.0.0.1:{}", server.port)]);
    command.args(["-quiet", "-psk", "0102030405"]).args(options);
    let printed = output(&mut command, &format!("{}\nCLOSE\n", lines.join("\n")));
    let wanted: Vec<String> = lines.iter().map(|line| line.chars().rev().collect()).collect();
    assert!(printed.lines().eq(wanted.iter().map(String::as_str)), "{options:?} {provider:?}: {printed}");
}

/// Keys, and certificates that they sign themselves.
fn certificates(folder: &str) {
    for (name, algorithm) in [("rsa", "rsa:2048"), ("ec", "ec")] {
        let (key, certificate) = (format!("{folder}/{name}.key"), format!("{folder}/{name}.pem"));
        let mut arguments = vec!["req", "-x509", "-nodes", "-newkey", algorithm];
        if name == "ec" {
            arguments.extend(["-pkeyopt", "ec_paramgen_curve:prime256v1"]);
        }
        arguments.extend(["-subj", "/CN=localhost", "-keyout", &key, "-out", &certificate]);
        run("openssl", &arguments);
    }
}

/// The suites of TLS 1.2 and before.
fn suites(built: &Built) -> Vec<String> {
    let listed = run("openssl", &["ciphers", "-v", "ALL:COMPLEMENTOFALL:@SECLEVEL=0"]);
    let mut found = Vec::new();
    for line in listed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, version, encryption) = (words[0], words[1], words[4].trim_start_matches("Enc="));
        let has = ENCRYPTIONS
            .iter()
            .any(|(cipher, start)| built.tls.contains(cipher) && encryption.starts_with(start));
        // The server has a certificate for RSA and one for ECDSA, and no third.
        if has && version != "TLSv1.3" && words[3] != "Au=DSS" {
            found.push(name.to_owned());
        }
    }
    found
}

#[test]
fn every_suite_of_tls() {
    let built = built();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().to_string_lossy().into_owned();
    certificates(&folder);
    let path = built.plain_tls.to_string_lossy().into_owned();
    let ways: Vec<Vec<&str>> =
        WAYS.iter().map(|way| [&["-provider-path", &path][..], way].concat()).collect();
    let suites = suites(built);
    assert!(suites.len() >= 56, "only {} suites", suites.len());
    let mut records = 0;
    for (number, way) in ways.iter().enumerate() {
        let (ours, theirs) = (server(&folder, way), server(&folder, &[]));
        for (server, provider) in [(&ours, &[][..]), (&theirs, &way[..])] {
            // The second way shows that properties do the same.
            for suite in suites.iter().step_by(if number == 0 { 1 } else { 6 }) {
                let cipher = format!("{suite}:@SECLEVEL=0");
                exchange(server, provider, &["-tls1_2", "-cipher", &cipher]);
                records += 1;
                // The MAC before the encryption; and older versions, the first of which has no IV for each record.
                if suite.contains("CAMELLIA") && number == 0 {
                    exchange(server, provider, &["-tls1_2", "-no_etm", "-cipher", &cipher]);
                    records += 1;
                }
                if ["CAMELLIA128-SHA", "CAMELLIA256-SHA"].contains(&suite.as_str()) {
                    for old in ["-tls1", "-tls1_1"] {
                        exchange(server, provider, &[old, "-no_etm", "-cipher", &cipher]);
                        records += 1;
                    }
                }
            }
            for suite in SUITES_OF_1_3 {
                exchange(server, provider, &["-tls1_3", "-ciphersuites", suite]);
                records += 1;
            }
        }
    }
    println!("{} suites of TLS 1.2 and {} of 1.3, {records} connections", suites.len(), SUITES_OF_1_3.len());
}
