/** Status and headers of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** Names in lower case; a list where a header came several times and cannot be joined. */
  readonly headers: AnswerHeaders;
  /** The service's request id, for its support. */
  readonly requestId: string | undefined;
}

/** Headers of an answer. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The head of an answer, with the request id found in it. */
export function toHead(status: number, headers: AnswerHeaders): AnswerHead {
  const id = headers['x-request-id'] ?? headers['request-id'] ?? headers['x-correlation-id'];
  const requestId = (Array.isArray(id) ? id[0] : id)?.slice(0, 200);
  return { status, headers, requestId };
}
