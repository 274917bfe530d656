const saneRequestId = /^[\w.:+/=@-]{1,128}$/;

/**
 * The id that connects the lines of one request: the caller's own (`X-Request-Id`) when it is at most 128 harmless
 * characters, because it is written to the log and sent back; otherwise a new one.
 * @param generate makes a new id, such as `crypto.randomUUID`.
 */
export function toRequestId(header: string | undefined, generate: () => string): string {
  return header !== undefined && saneRequestId.test(header) ? header : generate();
}
