/**
 * Base of our errors outside `upstream/`, which stands alone and has its own of the same form. `code` is stable and
 * listed in docs/runbook.md where an operator must act; `cause` is always kept.
 */
export class BridgeError extends Error {
  override readonly name: string = 'BridgeError';
  readonly code: string;
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Makes the compiler prove that a union was handled completely. @throws BridgeError when reached. */
export function assertNever(value: never): never {
  throw new BridgeError('bug', `a case was not handled: ${JSON.stringify(value)}`);
}
