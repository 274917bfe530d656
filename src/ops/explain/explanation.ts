import type { JsonValue } from '../../domain/json.ts';

/**
 * How a field stands: `settled` (the service holds it), `pending`, `stuck` (the service refused it after it was
 * acknowledged), `drifted` (somebody else changed it), `bridge only` (the service cannot hold it), `unknown` (nobody
 * has looked yet), `not ours` (nobody ever set it, or nobody manages the resource).
 */
export type FieldStanding =
  | 'settled'
  | 'pending'
  | 'stuck'
  | 'drifted'
  | 'bridge only'
  | 'unknown'
  | 'not ours';

/** One field of a person or group. */
export interface ExplainedField {
  readonly field: string;
  /** What is wanted; null: nobody wants anything of it. */
  readonly desired: JsonValue;
  /** What the service was last seen to hold; null: not seen. */
  readonly observed: JsonValue;
  /** Who wants it: `provider`, a rule with its text, `service` (as it was at the takeover); null: nobody. */
  readonly from: string | null;
  readonly standing: FieldStanding;
  /** What there is to add, a whole sentence. */
  readonly note?: string;
}

/** One group of a person, or one admin of a group. */
export interface ExplainedLink {
  readonly id: string;
  readonly name: string;
  readonly desired: boolean | null;
  readonly observed: boolean | null;
  readonly from: string | null;
  readonly standing: FieldStanding;
}

/** All that is known of a person or group, and why it is so. Moments are ISO 8601; names may be personal. */
export interface Explanation {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The service's own ids; null: it knows none. */
  readonly upstream: string | null;
  /** `created` by the bridge, `adopted`, or `no`: only observed. */
  readonly managed: 'created' | 'adopted' | 'no';
  readonly deleted: boolean;
  readonly version: number;
  /** When and by which read or call the service was last seen; null: never. */
  readonly seen: { readonly at: string; readonly by: string } | null;
  /** When something is done next; null: nothing is to be done. */
  readonly dueAt: string | null;
  /** Why the last attempt failed, in the service's words; null: it did not. */
  readonly problem: { readonly code: string; readonly words: string } | null;
  readonly fields: readonly ExplainedField[];
  /** Of a person. */
  readonly groups?: readonly ExplainedLink[];
  /** Of a group: how many people are wanted in it, were seen in it, wait. */
  readonly members?: {
    readonly desired: number;
    readonly observed: number;
    readonly pending: number;
  };
  /** Of a group. */
  readonly admins?: readonly ExplainedLink[];
  /** How many groups or admins there are beyond those that are listed. */
  readonly more: number;
}
