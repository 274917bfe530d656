/** Reason of a refusal; the status follows from it. */
export type RefusalCode =
  | 'bad-request'
  | 'unauthorized'
  | 'not-in-tariff'
  | 'forbidden'
  | 'not-found'
  | 'wrong-method'
  | 'conflict'
  | 'too-large'
  | 'too-many';

const statuses: Readonly<Record<RefusalCode, number>> = {
  'bad-request': 400,
  unauthorized: 401,
  'not-in-tariff': 402,
  forbidden: 403,
  'not-found': 404,
  'wrong-method': 405,
  conflict: 409,
  'too-large': 413,
  'too-many': 429,
};

/** A refused call, which has changed nothing. The shape decides whether `message` is ever shown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** The HTTP status of the answer. */
  readonly status: number;
  constructor(code: RefusalCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.status = statuses[code];
  }
}
