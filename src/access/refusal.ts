import { BridgeError } from '../domain/values.ts';

/** A request about credentials, or for one, that is refused. The caller is shown the code and the message. */
export class Refusal extends BridgeError {
  override readonly name = 'Refusal';
  /** HTTP status of the answer. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    { retryAfterSeconds, cause }: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(code, message, { cause });
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
