/** Where all processes with one token keep what they know of its rate: one text, replaced by one of them at a time. */
export interface SharedCell {
  /** Rejects when it cannot be read. */
  read(): Promise<SharedReading>;
  /** False when somebody has replaced it since. Rejects when nobody knows whether it is replaced. */
  replace(version: number, text: string): Promise<boolean>;
}

/** The text at one moment. */
export interface SharedReading {
  readonly version: number;
  /** null: nobody has written yet. undefined: what was written is lost. */
  readonly text: string | null | undefined;
  /** When it was read, in milliseconds, by a clock that is the same for all. */
  readonly nowMs: number;
}

/** How a process takes part in a rate that it shares. */
export interface SharedRate {
  readonly cell: SharedCell;
  /** Tells the processes apart. */
  readonly owner: string;
}
