/** Body that a receiver understands: Standard Webhooks, or a message of a chat. */
export type NotificationFormat = 'standard' | 'slack' | 'teams';

/** Program or channel that gets messages. */
export interface Receiver {
  readonly name: string;
  readonly url: string;
  /** File of the secret with which it proves that the bridge has sent it; absent: nothing is signed. */
  readonly secretFile?: string | undefined;
  /** Patterns of the types that it gets, in which `*` stands for any text. */
  readonly events: readonly string[];
  readonly format: NotificationFormat;
  /** True: names of people and credentials are sent as well, and not their ids alone. */
  readonly names: boolean;
}

/** Something that happened, before it is written for a receiver. */
export interface Notice {
  /** Such as `reason.began`, `drift.found.user.activated`, `leaver.late`. */
  readonly type: string;
  readonly text: string;
  /** Ids, codes, counts, times. */
  readonly data: Readonly<Record<string, string | number | null>>;
  /** Names beside them, for receivers that get names. */
  readonly names: Readonly<Record<string, string>>;
}

/** State with a message when it begins and, if `ended` is set, when it ends. */
export interface Condition {
  /** Tells it from all others. */
  readonly key: string;
  readonly began: Notice;
  readonly ended?: Notice;
}
