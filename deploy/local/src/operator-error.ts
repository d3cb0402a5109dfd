/** Something the person at the terminal can put right: the message is all that is shown. */
export class OperatorError extends Error {}
