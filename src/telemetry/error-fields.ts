/** What the log keeps of an error. */
export interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string;
  readonly status?: number;
  readonly operation?: string;
  readonly cause?: ErrorFields;
}

const causesMax = 5;

/**
 * An error as log fields. Only named properties are taken: errors of HTTP clients carry whole bodies and headers,
 * and those hold personal data and tokens.
 */
export function toErrorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error))
    return { name: typeof error, message: 'something that is no Error was thrown' };
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...pickDetails(error),
    ...(error.cause === undefined || depth >= causesMax
      ? {}
      : { cause: toErrorFields(error.cause, depth + 1) }),
  };
}

function pickDetails(error: Error): Pick<ErrorFields, 'code' | 'status' | 'operation'> {
  return {
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...('status' in error && typeof error.status === 'number' ? { status: error.status } : {}),
    ...('operation' in error && typeof error.operation === 'string'
      ? { operation: error.operation }
      : {}),
  };
}
