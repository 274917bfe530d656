import type { ResourceName } from '../domain/extensions.ts';
import type { JsonObject } from '../domain/values.ts';
import { BridgeError } from '../domain/values.ts';

/** The detail error keyword of a 400 or 409. @see RFC 7644 §3.12, table 9; RFC 9865 §2.1, table 3 */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'invalidCursor'
  | 'invalidCount';

type ScimErrorOptions = Partial<Pick<ScimError, 'scimType' | 'retryAfterSeconds' | 'kept'>> & {
  readonly cause?: unknown;
};

/** A request that is refused. Code `scim-refused`. The message names attributes and positions, never values: they are personal data or secrets. */
export class ScimError extends BridgeError {
  override readonly name = 'ScimError';
  readonly status: number;
  readonly scimType: ScimType | undefined;
  /** Whole seconds until another attempt makes sense; becomes the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  /** Words for the log of requests: those of the answer may be the service's, and personal. */
  readonly kept: string;
  constructor(status: number, detail: string, options: ScimErrorOptions = {}) {
    const { cause } = options;
    super('scim-refused', detail, cause === undefined ? undefined : { cause });
    this.status = status;
    this.scimType = options.scimType;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.kept = options.kept ?? detail;
  }

  /** The same refusal in other words. @param reword such as one that puts the place before its own, `Operation 2` */
  say(reword: (own: string) => string): ScimError {
    return new ScimError(this.status, reword(this.message), {
      ...this,
      cause: this.cause,
      kept: reword(this.kept),
    });
  }
}

/** 400 with the keyword of the rule that the request broke. */
export function badRequest(scimType: ScimType, detail: string, cause?: unknown): ScimError {
  return new ScimError(400, detail, { scimType, cause });
}

/** 400 `invalidValue`: a value is missing, of the wrong type or not allowed. */
export function invalidValue(detail: string, cause?: unknown): ScimError {
  return badRequest('invalidValue', detail, cause);
}

/** 400 `invalidFilter`, with the place where reading stopped. */
export function invalidFilter(problem: string, at: number): ScimError {
  const detail = `The filter cannot be understood: ${problem} at character ${at + 1}.`;
  return badRequest('invalidFilter', detail);
}

/** 400 `invalidSyntax`: the body is not what the operation needs. */
export function invalidSyntax(detail: string, cause?: unknown): ScimError {
  return badRequest('invalidSyntax', detail, cause);
}

/** 404: no resource has this id; also what a deleted one answers. */
export function notFound(resourceType: ResourceName): ScimError {
  return new ScimError(404, `No ${resourceType} with this id exists.`);
}

/** 409 `uniqueness`: another user or group has this name or address, or something like it. */
export function conflict(detail: string, cause?: unknown): ScimError {
  return new ScimError(409, detail, { scimType: 'uniqueness', cause });
}

/** 503: not now. @param retryAfterSeconds whole seconds */
export function unavailable(detail: string, retryAfterSeconds: number, cause?: unknown): ScimError {
  return new ScimError(503, detail, { retryAfterSeconds, cause });
}

/** The body that says why the request was refused. @see RFC 7644 §3.12: `status` is a string */
export function toScimErrorBody({ status, scimType, message }: ScimError): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: message,
  };
}
