import type { JsonValue } from '../../domain/json.ts';

/**
 * Where something is known from: `provider` asked for it, `bridge` did it or failed, `audit`: the service's audit log
 * tells of it, `seen`: a look at the service, `drift`: the service differed.
 */
export type TimelineSource = 'provider' | 'bridge' | 'audit' | 'seen' | 'drift';

/** A person or group by its name; null: the store has it no more. */
export interface TimelineSubject {
  readonly id: string;
  readonly name: string | null;
}

/** One thing that happened. */
export interface TimelineItem {
  /** ISO 8601, by the bridge's own clock as near as is known. */
  readonly at: string;
  readonly source: TimelineSource;
  /** What happened, as a short sentence. */
  readonly text: string;
  /** Who else it is about: the groups of a person, the people of a group. */
  readonly others: readonly TimelineSubject[];
  /** The same for programs; which members it has follows from the source. */
  readonly detail: { readonly [name: string]: JsonValue };
}

/** All that is remembered of a person or group in one line of time, the oldest first. Names are personal. */
export interface Timeline {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  readonly managed: 'created' | 'adopted' | 'no';
  readonly deleted: boolean;
  readonly items: readonly TimelineItem[];
  /** There is more before the first of them. */
  readonly more: boolean;
}
