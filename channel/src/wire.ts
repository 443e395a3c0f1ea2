/**
 * The wire: every message is an array whose first item is one of these numbers. What follows is named beside each.
 *
 * Each side numbers its own calls and its own references from 1 upwards and never reuses a number. Reference 0 is the tree
 * a side offers. A call is answered exactly once, by RESULT or THROWN, also after it was dropped.
 */

/** Wire number both ends state in their welcome. */
export const WIRE = 1
/** wire number, manifest of the offered tree or undefined: the first message of each side. */
export const WELCOME = 0
/** call number, reference, member path, arguments. */
export const CALL = 1
/** reference, arguments: a callback that answers nothing is told, not asked. */
export const NOTIFY = 2
/** call number, result. */
export const RESULT = 3
/** call number, error. */
export const THROWN = 4
/** call number: the caller waits no longer. */
export const DROP = 5
/** reference: the receiver of a reference let it go. */
export const RELEASE = 6
/** reference of a promise, whether fulfilled, value or error. */
export const SETTLE = 7
/** reference of a signal that has aborted. */
export const ABORT = 8
/** Nothing: asks for PONG. */
export const PING = 9
/** Nothing: answers PING. */
export const PONG = 10
/** true when the peer broke the protocol, else undefined: the last message of a side. */
export const BYE = 11

/** One message. */
export type Message = readonly unknown[]
