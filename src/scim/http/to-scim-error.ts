import { StoreError } from '../../store/engine/store-error.ts';
import { invalidSyntax, ScimError } from '../errors.ts';

/** Time that a provider is asked to wait when the store cannot be used, in seconds. */
const STORE_RETRY_SECONDS = 5;

/** Turns any error of a request into a SCIM error, the one form that a provider understands. */
export function toScimError(error: unknown): ScimError {
  if (error instanceof ScimError) return error;
  if (error instanceof StoreError) return fromStore(error);
  if (error instanceof URIError)
    return invalidSyntax('The address is not encoded correctly.', error);
  return fromBodyParser(error) ?? new ScimError(500, 'The bridge failed.', { cause: error });
}

/** A conflict at a unique index, after the checks, was a race with another request. */
function fromStore(error: StoreError): ScimError {
  switch (error.code) {
    case 'store-conflict':
      return new ScimError(409, 'Another request took this name first.', {
        scimType: 'uniqueness',
        cause: error,
      });
    case 'store-failed':
    case 'store-reference':
    case 'store-url':
    case 'store-newer':
    case 'store-older':
      return new ScimError(500, 'The bridge failed.', { cause: error });
    default: {
      const detail = 'The store of the bridge cannot be used now.';
      return new ScimError(503, detail, { retryAfterSeconds: STORE_RETRY_SECONDS, cause: error });
    }
  }
}

/** express marks errors of a body by `status` and mostly a `type`; a failed decompression has no `type`. */
function fromBodyParser(error: unknown): ScimError | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  switch ('type' in error ? error.type : undefined) {
    case 'entity.too.large':
      return new ScimError(413, 'The body is larger than the server takes.', { cause: error });
    case 'entity.verify.failed':
      return invalidSyntax('The body is not UTF-8.', error);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ScimError(415, 'The body has an encoding that is not supported.', {
        cause: error,
      });
    default: {
      const isTheirs = typeof error.status === 'number' && error.status < 500;
      return isTheirs ? invalidSyntax('The body could not be read.', error) : undefined;
    }
  }
}
