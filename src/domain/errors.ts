/** Base of our errors outside `upstream/`. `code` is stable; docs/runbook.md lists those where an operator must act. */
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
