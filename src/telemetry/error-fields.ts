/** Log fields of an error. */
export interface ErrorFields {
  readonly name: string;
  readonly message: string;
  /** The frames without the message. */
  readonly stack: string;
  readonly code?: string;
  readonly status?: number;
  readonly operation?: string;
  readonly cause?: ErrorFields;
}

const causesMax = 5;

/**
 * Converts an error into log fields. Only named properties are taken: errors of HTTP clients and database drivers
 * carry whole bodies, headers and rows, and those hold personal data and tokens.
 */
export function toErrorFields(error: unknown): ErrorFields {
  return toFields(error, 0);
}

function toFields(error: unknown, depth: number): ErrorFields {
  if (!(error instanceof Error)) {
    return { name: typeof error, message: 'something that is no Error was thrown', stack: '' };
  }
  const own = {
    name: error.name,
    message: quotesData(error) ? '(hidden: it may quote data)' : error.message,
    stack: (error.stack ?? '').split('\n').filter(isFrame).join('\n'),
    ...pickDetails(error),
  };
  if (error.cause === undefined || depth >= causesMax) return own;
  return { ...own, cause: toFields(error.cause, depth + 1) };
}

/** JSON.parse quotes the text that it refuses; PostgreSQL, whose errors have a severity, quotes the value. */
function quotesData(error: Error): boolean {
  return error instanceof SyntaxError || 'severity' in error;
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line);
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
