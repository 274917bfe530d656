import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { ScimError } from '../errors.ts';
import type { Preconditions } from '../http/etag.ts';

/** Single request that an operation stands for. */
export type BulkAction =
  | { readonly method: 'POST'; readonly data: JsonValue }
  | {
      readonly method: 'PUT' | 'PATCH';
      readonly id: string;
      readonly preconditions: Preconditions;
      readonly data: JsonValue;
    }
  | { readonly method: 'DELETE'; readonly id: string; readonly preconditions: Preconditions };

/** One write of a bulk request. */
export interface BulkWrite {
  readonly kind: 'write';
  /** Place in the request, from 0; results are in this order. */
  readonly index: number;
  readonly bulkId: string | undefined;
  readonly type: 'User' | 'Group';
  /** May still hold `bulkId:…` where an id belongs. */
  readonly action: BulkAction;
  /** The bulkIds it names. */
  readonly references: ReadonlySet<string>;
  /** The bulkIds that have to be there before it, because its user gets attributes then that name them. */
  readonly behind: ReadonlySet<string>;
  /** Attributes of the new user that are set when all that they name is there; undefined: none. */
  readonly postponed: Postponed | undefined;
}

/** Attributes of a new user that name users who are created in a circle with it. */
export interface Postponed {
  /** By qualified names; still with bulkIds. */
  readonly value: JsonObject;
  readonly references: ReadonlySet<string>;
}

/** An operation that cannot be understood. It fails alone. */
interface MalformedOperation {
  readonly kind: 'malformed';
  readonly index: number;
  readonly bulkId: string | undefined;
  /** As it was sent; undefined: it was no text. */
  readonly method: string | undefined;
  readonly error: ScimError;
}

/** One operation of a bulk request. @see RFC 7644 §3.7 */
export type BulkOperation = BulkWrite | MalformedOperation;

/** A bulk request. */
export interface BulkRequest {
  /** Errors after which nothing more is performed; Infinity when the request names no number. */
  readonly failOnErrors: number;
  readonly operations: readonly BulkOperation[];
}

/** True when other operations may name the new resource by the bulkId. */
export function isCreation(operation: BulkOperation): boolean {
  return (operation.kind === 'write' ? operation.action.method : operation.method) === 'POST';
}

/** Lists the bulkIds that an operation waits for: those that it names, and those that it stands behind. */
export function listNames(operation: BulkOperation): Iterable<string> {
  if (operation.kind === 'malformed') return [];
  const { references, behind } = operation;
  return behind.size === 0 ? references : references.union(behind);
}
