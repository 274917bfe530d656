/** Shared storage of the rate of one token: one text, replaced by one process at a time. */
export interface SharedCell {
  /** Rejects when it cannot be read. */
  read(): Promise<SharedReading>;
  /** False when another process has replaced it since. Rejects when the result is unknown. */
  replace(version: number, text: string): Promise<boolean>;
}

/** The text at one moment. */
export interface SharedReading {
  readonly version: number;
  /** null: never written. undefined: the written text is lost. */
  readonly text: string | null | undefined;
  /** Moment of the reading, in milliseconds, by the clock that all processes share. */
  readonly nowMs: number;
}

/** Membership of a process in a shared rate. */
export interface SharedRate {
  readonly cell: SharedCell;
  /** Tells the processes apart. */
  readonly owner: string;
}
