use std::ffi::{c_int, c_void};

unsafe extern "C" {
    static pebble_context_bytes: usize;
    fn usuba_pebble_init(context: *mut c_void, key: *const u8) -> c_int;
    fn usuba_pebble_encrypt_blocks(context: *const c_void, out: *mut u8, input: *const u8, blocks: usize) -> c_int;
    fn usuba_pebble_wipe(context: *mut c_void);
}

/// Pebble with a key.
struct Pebble(Vec<u64>);

impl Pebble {
    fn new(key: &[u8; 8]) -> Pebble {
        // SAFETY: the context is as long as C says, and the key has its 8 bytes.
        unsafe {
            let mut context = vec![0; pebble_context_bytes.div_ceil(8)];
            assert_eq!(usuba_pebble_init(context.as_mut_ptr().cast(), key.as_ptr()), 0);
            Pebble(context)
        }
    }

    fn encrypt(&self, blocks: &mut [[u8; 8]]) {
        let place = blocks.as_mut_ptr().cast();
        // SAFETY: there are so many blocks; the output may be the input.
        let result = unsafe { usuba_pebble_encrypt_blocks(self.0.as_ptr().cast(), place, place, blocks.len()) };
        assert_eq!(result, 0);
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        // SAFETY: the context is as long as C says.
        unsafe { usuba_pebble_wipe(self.0.as_mut_ptr().cast()) }
    }
}

fn main() {
    let pebble = Pebble::new(&[0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]);
    let mut blocks = [[0, 0, 0, 1, 0, 2, 0, 3]; 100];
    pebble.encrypt(&mut blocks);
    blocks[99].iter().for_each(|byte| print!("{byte:02x}"));
    println!();
}
