import type { JsonValue } from '../../domain/json.ts';
import type { ScimError } from '../errors.ts';

/** What an operation does to a resource, in the words of the single request it stands for. */
export type BulkAction =
  | { readonly method: 'POST'; readonly data: JsonValue }
  | {
      readonly method: 'PUT' | 'PATCH';
      readonly id: string;
      readonly ifMatch: string | undefined;
      readonly data: JsonValue;
    }
  | { readonly method: 'DELETE'; readonly id: string; readonly ifMatch: string | undefined };

/** One write of a bulk request. */
export interface BulkWrite {
  readonly kind: 'write';
  /** Its place in the request, from 0; results are in this order. */
  readonly index: number;
  readonly bulkId: string | undefined;
  readonly type: 'User' | 'Group';
  /** May still hold `bulkId:…` where an id belongs. */
  readonly action: BulkAction;
  /** The bulkIds it names. */
  readonly references: ReadonlySet<string>;
}

/** An operation that cannot be understood. It fails alone: its neighbours are none the worse. */
interface MalformedOperation {
  readonly kind: 'malformed';
  readonly index: number;
  readonly bulkId: string | undefined;
  /** As it was sent, when it was one. */
  readonly method: string | undefined;
  readonly error: ScimError;
}

/** One operation of a bulk request. @see RFC 7644 §3.7 */
export type BulkOperation = BulkWrite | MalformedOperation;

/** A bulk request. */
export interface BulkRequest {
  /** After so many errors nothing more is performed; Infinity when the request does not say. */
  readonly failOnErrors: number;
  readonly operations: readonly BulkOperation[];
}

/** True when other operations may name the new resource by the bulkId. */
export function isCreation(operation: BulkOperation): boolean {
  return (operation.kind === 'write' ? operation.action.method : operation.method) === 'POST';
}
