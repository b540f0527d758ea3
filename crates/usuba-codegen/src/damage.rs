//! Programs that are damaged behind the checker's back have no code.
//!
//! Outside of this crate nobody can try: code generation takes a [`Checked`](usuba_ir::check::Checked) program. So every
//! damage is shown to the checker, which refuses it; and those that reach the writer of functions are given to it all the
//! same, as if a check had been forgotten.

use crate::messages::NoCode;
use expect_test::{Expect, expect};
use usuba_ir::check::check;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{Loop, NodeId, Op, Operation, Program, Type, ValueId};
use usuba_target::by_name;

/// Programs all of whose operations matter.
const SAMPLES: [&str; 4] = [
    // Atoms alone.
    "file \"toy.ua\"
     node Toy (%0 a: v32, %1 b: v32) -> (r: v32, s: v32) {
       %2: v32 = xor %0, %1 @3:5 \"r\"
       %3: v32 = constant 0x7
       %4: v32 = rotate_left %2, 7 @4:5
       %5: v32 = add %4, %3
       return %5, %4
     }",
    // Calls, of one function with atoms one by one and of one with a region of them.
    "file \"toy.ua\"
     node Half (%0 a: b1, %1 b: b1) -> (s: b1, c: b1) {
       %2: b1 = xor %0, %1
       %3: b1 = and %0, %1
       return %2, %3
     }
     node Turn (%0 a: b1, %1 b: b1, %2 c: b1, %3 d: b1, %4 e: b1, %5 f: b1, %6 g: b1, %7 h: b1, %8 i: b1)
       -> (p: b1, q: b1, r: b1, s: b1, t: b1, u: b1, v: b1, w: b1, x: b1) {
       %9: b1 = xor %0, %8
       return %1, %2, %3, %4, %5, %6, %7, %8, %9
     }
     node Toy (%0 in: b1[2]) -> (out: b1, other: b1, more: b1) {
       %1: b1 = get %0[0]
       %2: b1 = get %0[1]
       %3: b1, %4: b1, %5: b1, %6: b1, %7: b1, %8: b1, %9: b1, %10: b1, %11: b1 = call Turn(%1, %2, %1, %2, %1, %2, %1, %2, %2)
       %12: b1, %13: b1 = call Half(%3, %11)
       return %3, %12, %13
     }",
    // Loops that carry an atom and an array, one inside of another.
    "file \"toy.ua\"
     node Toy (%0 in: v32[8], %1 k: uniform v32[4]) -> (out: v32[8], sum: v32) {
       %2: v32 = constant 0x0
       %3: v32[8], %4: v32 = loop i0 < 4 carry (%5: v32[8] = %0, %6: v32 = %2) {
         %7: v32 = get %1[i0] @5:5
         %8: v32 = add %6, %7
         %9: v32[8] = loop i1 < 8 carry (%10: v32[8] = %5) {
           %11: v32 = get %10[i1]
           %12: v32 = xor %11, %8
           %13: v32[8] = set %10[i1], %12 @9:7 \"out\"
           yield %13
         }
         yield %9, %8
       }
       return %3, %4
     }",
    // Parts of arrays, and arrays given to a function.
    "file \"toy.ua\"
     node Flip (%0 a: v32[4]) -> (r: v32[4]) {
       %1: v32 = get %0[3]
       %2: v32 = not %1
       %3: v32[4] = set %0[0], %2
       return %3
     }
     node Toy (%0 in: v32[8]) -> (out: v32[8]) {
       %1: v32[4] = slice %0[4]
       %2: v32[4] = call Flip(%1)
       %3: v32[8] = splice %0[0], %2
       %4: v32 = get %2[1]
       %5: v32[4] = array [%4, %4, %4, %4]
       %6: v32[8] = splice %3[4], %5
       return %6
     }",
];

fn sample(number: usize) -> Program {
    let program = Program::parse(SAMPLES[number]).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(check(&program).err(), None, "{program}");
    program
}

/// Changes a block of operations at a position.
type Change = fn(&mut Vec<Operation>, usize);

/// Applies a change to the operation numbered `site` of those that are `wanted`; false if there are not so many.
fn change(program: &mut Program, site: usize, wanted: fn(&Operation) -> bool, change: Change) -> bool {
    fn walk(
        operations: &mut Vec<Operation>,
        left: &mut usize,
        wanted: fn(&Operation) -> bool,
        change: Change,
    ) -> bool {
        for position in 0..operations.len() {
            if wanted(&operations[position]) {
                if *left == 0 {
                    change(operations, position);
                    return true;
                }
                *left -= 1;
            }
            if let Op::Loop(inner) = &mut operations[position].op
                && walk(&mut inner.body.operations, left, wanted, change)
            {
                return true;
            }
        }
        false
    }
    let mut left = site;
    program.nodes.iter_mut().any(|node| walk(&mut node.body.operations, &mut left, wanted, change))
}

fn any(_: &Operation) -> bool {
    true
}

fn is_call(operation: &Operation) -> bool {
    matches!(operation.op, Op::Call(..))
}

fn is_loop(operation: &Operation) -> bool {
    matches!(operation.op, Op::Loop(_))
}

fn reads_values(operation: &Operation) -> bool {
    let mut reads = false;
    operation.op.operands(|_| reads = true);
    reads && !is_loop(operation)
}

fn has_index(operation: &Operation) -> bool {
    matches!(operation.op, Op::Get(..) | Op::Set(..) | Op::Slice(..) | Op::Splice(..))
}

fn is_set(operation: &Operation) -> bool {
    matches!(operation.op, Op::Set(..))
}

fn is_constant(operation: &Operation) -> bool {
    matches!(operation.op, Op::Constant(_))
}

fn is_shift(operation: &Operation) -> bool {
    matches!(operation.op, Op::Shift(..))
}

fn arguments(operations: &mut [Operation], position: usize) -> &mut Vec<ValueId> {
    match &mut operations[position].op {
        Op::Call(_, arguments) => arguments,
        op => panic!("{op:?} is no call"),
    }
}

fn inner(operations: &mut [Operation], position: usize) -> &mut Loop {
    match &mut operations[position].op {
        Op::Loop(inner) => inner,
        op => panic!("{op:?} is no loop"),
    }
}

/// The values that an operation reads.
fn operands(op: &mut Op) -> Vec<&mut ValueId> {
    match op {
        Op::Constant(_) | Op::Loop(_) => Vec::new(),
        Op::Not(a) | Op::Shift(_, a, _) | Op::Shuffle(a, _) | Op::Bitmask(a, _) | Op::MapBytes(a, _) => {
            vec![a]
        }
        Op::InverseMixColumns(a) | Op::Refresh(a) | Op::Get(a, _) | Op::Slice(a, _) => vec![a],
        Op::Ternary(_, of) => of.iter_mut().collect(),
        Op::Binary(_, a, b)
        | Op::Block(_, a, b)
        | Op::Pack(a, b)
        | Op::Set(a, _, b)
        | Op::Splice(a, _, b) => vec![a, b],
        Op::Array(values) | Op::Call(_, values) => values.iter_mut().collect(),
    }
}

/// A way to damage a program.
struct Damage {
    what: &'static str,
    /// Damages the program at a site; false if it has not so many.
    at: fn(&mut Program, usize) -> bool,
    /// Whether the writer of functions is shown it too; if not, a function before it may index out of a list, or code
    /// that is wrong in itself fits together.
    is_written: bool,
}

const DAMAGES: &[Damage] = &[
    Damage {
        what: "an operation is dropped",
        at: |program, site| {
            change(program, site, any, |operations, position| {
                operations.remove(position);
            })
        },
        is_written: true,
    },
    Damage {
        what: "the last operation comes first",
        at: |program, site| {
            let entry = program.nodes.len() - 1;
            program.nodes[entry].body.operations.rotate_right(1);
            site == 0
        },
        is_written: true,
    },
    Damage {
        what: "an operation reads its own result",
        at: |program, site| {
            change(program, site, reads_values, |operations, position| {
                let own = operations[position].results[0];
                *operands(&mut operations[position].op)[0] = own;
            })
        },
        is_written: true,
    },
    Damage {
        what: "an operation reads a value that is not there",
        at: |program, site| {
            change(program, site, reads_values, |operations, position| {
                *operands(&mut operations[position].op)[0] = ValueId(1000);
            })
        },
        is_written: false,
    },
    Damage {
        what: "an operation stands there twice",
        at: |program, site| {
            change(program, site, any, |operations, position| {
                let again = operations[position].clone();
                operations.insert(position, again);
            })
        },
        is_written: false,
    },
    Damage {
        what: "an operation has a result more",
        at: |program, site| {
            change(program, site, any, |operations, position| {
                let own = operations[position].results[0];
                operations[position].results.push(own);
            })
        },
        is_written: true,
    },
    Damage {
        what: "an array takes the place of an atom that is stored",
        at: |program, site| {
            change(program, site, is_set, |operations, position| {
                if let Op::Set(array, _, atom) = &mut operations[position].op {
                    *atom = *array;
                }
            })
        },
        is_written: true,
    },
    Damage {
        what: "an array is a call's atom, or an atom its array",
        at: |program, site| {
            let entry = program.nodes.len() - 1;
            let inputs = program.nodes[entry].body.parameters.clone();
            let node = &mut program.nodes[entry];
            let types: Vec<Type> = node.values.iter().map(|value| value.ty).collect();
            let calls = node.body.operations.iter_mut().filter(|operation| is_call(operation));
            let Some(call) = calls.into_iter().nth(site) else { return false };
            let Op::Call(_, arguments) = &mut call.op else { return false };
            let is_array = types[arguments[0].index()].len.is_some();
            let other = (0..types.len() as u32)
                .map(ValueId)
                .find(|value| types[value.index()].len.is_some() != is_array);
            arguments[0] = other.unwrap_or(inputs[0]);
            true
        },
        is_written: true,
    },
    Damage {
        what: "an array has another length than its neighbours",
        at: |program, site| {
            let values = program.nodes.iter_mut().flat_map(|node| &mut node.values);
            let mut arrays = values.filter_map(|value| value.ty.len.as_mut());
            arrays.nth(site).map(|len| *len += 1).is_some()
        },
        is_written: false,
    },
    Damage {
        what: "an atom has another layout than its neighbours",
        at: |program, site| {
            let mut values = program.nodes.iter_mut().flat_map(|node| &mut node.values);
            values.nth(site).map(|value| value.ty.layout = Layout::of(Slicing::V, 16)).is_some()
        },
        is_written: false,
    },
    Damage {
        what: "a node lacks a result",
        at: |program, site| program.nodes.get_mut(site).map(|node| node.body.results.pop()).is_some(),
        is_written: true,
    },
    Damage {
        what: "a node has a result more",
        at: |program, site| {
            let results = program.nodes.get_mut(site).map(|node| &mut node.body.results);
            results.map(|results| results.push(results[0])).is_some()
        },
        is_written: true,
    },
    Damage {
        what: "a node lacks the value of an input",
        at: |program, site| program.nodes.get_mut(site).map(|node| node.body.parameters.pop()).is_some(),
        is_written: true,
    },
    Damage {
        what: "a call lacks an argument",
        at: |program, site| {
            change(program, site, is_call, |operations, position| {
                arguments(operations, position).pop();
            })
        },
        is_written: true,
    },
    Damage {
        what: "a call has an argument more",
        at: |program, site| {
            change(program, site, is_call, |operations, position| {
                let arguments = arguments(operations, position);
                arguments.push(arguments[0]);
            })
        },
        is_written: true,
    },
    Damage {
        what: "a call lacks a result",
        at: |program, site| {
            change(program, site, is_call, |operations, position| {
                operations[position].results.remove(0);
            })
        },
        is_written: true,
    },
    Damage {
        what: "a call is of the node itself",
        at: |program, site| {
            let last = NodeId(program.nodes.len() as u32 - 1);
            let calls = program.nodes[last.index()].body.operations.iter_mut();
            let mut callees = calls.filter_map(|operation| match &mut operation.op {
                Op::Call(callee, _) => Some(callee),
                _ => None,
            });
            callees.nth(site).map(|callee| *callee = last).is_some()
        },
        is_written: false,
    },
    Damage {
        what: "a loop lacks a first value",
        at: |program, site| {
            change(program, site, is_loop, |operations, position| {
                inner(operations, position).initial.pop();
            })
        },
        is_written: true,
    },
    Damage {
        what: "a loop hands on a value too few",
        at: |program, site| {
            change(program, site, is_loop, |operations, position| {
                inner(operations, position).body.results.pop();
            })
        },
        is_written: true,
    },
    Damage {
        what: "a loop has a parameter more",
        at: |program, site| {
            change(program, site, is_loop, |operations, position| {
                let parameters = &mut inner(operations, position).body.parameters;
                parameters.push(parameters[0]);
            })
        },
        is_written: true,
    },
    Damage {
        what: "a loop is run no time",
        at: |program, site| {
            change(program, site, is_loop, |operations, position| inner(operations, position).trips = 0)
        },
        is_written: false,
    },
    Damage {
        what: "an index is out of range",
        at: |program, site| {
            change(program, site, has_index, |operations, position| match &mut operations[position].op {
                Op::Get(_, index) | Op::Set(_, index, _) | Op::Slice(_, index) | Op::Splice(_, index, _) => {
                    index.constant += 1000;
                }
                op => panic!("{op:?} has no index"),
            })
        },
        is_written: false,
    },
    Damage {
        what: "a constant is too wide",
        at: |program, site| {
            change(program, site, is_constant, |operations, position| {
                operations[position].op = Op::Constant(1 << 64);
            })
        },
        is_written: false,
    },
    Damage {
        what: "a shift goes too far",
        at: |program, site| {
            change(program, site, is_shift, |operations, position| {
                if let Op::Shift(_, _, amount) = &mut operations[position].op {
                    *amount = 32;
                }
            })
        },
        is_written: true,
    },
    Damage {
        what: "the program is for no batch",
        at: |program, site| {
            program.interleave = 0;
            site == 0
        },
        is_written: false,
    },
];

/// The damaged programs, each with what was done to it.
fn damaged() -> impl Iterator<Item = (&'static Damage, String, Program)> {
    DAMAGES.iter().flat_map(|damage| {
        (0..SAMPLES.len()).flat_map(move |number| {
            (0..)
                .map_while(move |site| {
                    let mut program = sample(number);
                    (damage.at)(&mut program, site).then_some((site, program))
                })
                .map(move |(site, program)| {
                    (damage, format!("{}: sample {number}, site {site}", damage.what), program)
                })
        })
    })
}

#[test]
fn the_checker_refuses_what_is_damaged() {
    let mut kinds = std::collections::BTreeSet::new();
    for (damage, told, program) in damaged() {
        assert!(check(&program).is_err(), "{told}\n{program}");
        kinds.insert(damage.what);
    }
    assert_eq!(kinds.len(), DAMAGES.len(), "every damage is done somewhere");
}

#[test]
fn what_is_damaged_behind_the_checker_has_no_code() {
    let target = by_name("avx2").expect("a target");
    for number in 0..SAMPLES.len() {
        assert!(crate::selected(&sample(number), target).is_ok(), "sample {number}");
    }
    let mut count = 0;
    for (_, told, program) in damaged().filter(|(damage, ..)| damage.is_written) {
        match crate::selected(&program, target) {
            Err(NoCode::Internal(internal)) => {
                assert!(program.nodes.iter().any(|node| node.name == internal.node), "{told}: {internal}");
            }
            Err(other) => panic!("{told}: {other}\n{program}"),
            Ok(_) => panic!("{told}: it has code\n{program}"),
        }
        count += 1;
    }
    assert!(count > 60, "only {count} programs");
}

/// The text of the internal error for a damage of a sample at a site.
fn told(what: &str, number: usize, site: usize, expected: Expect) {
    let damage = DAMAGES.iter().find(|damage| damage.what == what).expect("a damage");
    let mut program = sample(number);
    assert!((damage.at)(&mut program, site));
    let target = by_name("avx2").expect("a target");
    let error = crate::selected(&program, target).map(|_| ()).expect_err("it has no code");
    expected.assert_eq(&error.to_string());
}

#[test]
fn an_internal_error_says_where() {
    told(
        "an operation is dropped",
        0,
        0,
        expect![
            "toy.ua:4:5: internal error: in node `Toy`, at `%4 = rotate_left %2, 7`: %2 is in no register; please report this"
        ],
    );
    told(
        "an operation is dropped",
        2,
        6,
        expect![
            "toy.ua:9:7: internal error: in node `Toy`, at `%13 = set %10[i1], %12`: %12 is in no register; please report this"
        ],
    );
    told(
        "an operation reads its own result",
        3,
        3,
        expect![
            "internal error: in node `Toy`, at `%1 = slice %1[4]`: %1 is in no memory; please report this"
        ],
    );
    told(
        "an array takes the place of an atom that is stored",
        2,
        0,
        expect![
            "toy.ua:9:7: internal error: in node `Toy`, at `%13 = set %10[i1], %10`: %10 is in no register; please report this"
        ],
    );
    told(
        "an operation has a result more",
        0,
        0,
        expect![
            "toy.ua:3:5: internal error: in node `Toy`, at `%2, %2 = xor %0, %1`: the number of results is 2 and should be 1; please report this"
        ],
    );
    told(
        "a call lacks an argument",
        1,
        0,
        expect![
            "internal error: in node `Turn`: the number of inputs is 8 and should be 9; please report this"
        ],
    );
    told(
        "a loop lacks a first value",
        2,
        0,
        expect![
            "internal error: in node `Toy`, at `%3, %4 = loop i0 < 4`: the number of carried values is 1 and should be 2; please report this"
        ],
    );
    told(
        "a node lacks a result",
        0,
        0,
        expect![
            "internal error: in node `Toy`: the number of outputs is 1 and should be 2; please report this"
        ],
    );
    told(
        "a shift goes too far",
        0,
        0,
        expect![
            "toy.ua:4:5: internal error: in node `Toy`, at `%4 = rotate_left %2, 32`: a shift by the width of the atom or more; please report this"
        ],
    );
}
