import type { AuditEntry } from './audit.ts';
import type { Change } from './model.ts';
import type { SandboxShape } from './shape.ts';
import type { State } from './state.ts';

/** The imitated company: its state, and the inputs of its rules. */
export interface Directory {
  readonly state: State;
  readonly companyUid: string;
  /** The account behind the token. */
  readonly ownerId: number;
  shape(): SandboxShape;
  /** Milliseconds since 1970. */
  nowMs(): number;
  newUid(): string;
}

/** Author of a change, and the address, as the audit log shows them. */
export interface Author {
  readonly userId: number;
  readonly address: string;
}

/** The present moment as the service writes it: ISO 8601, milliseconds, UTC. */
export function timestamp(directory: Directory): string {
  return new Date(directory.nowMs()).toISOString();
}

/** Stores the changes and their audit entries in one commit. */
export function commitAs(
  directory: Directory,
  author: Author,
  { changes, entries }: { changes: readonly Change[]; entries: readonly AuditEntry[] },
): void {
  const user = directory.state.users.find(author.userId);
  const created = timestamp(directory);
  const events = entries.map(
    (entry): Change => ({
      kind: 'event',
      event: {
        ...entry,
        id: directory.newUid(),
        authorId: user?.id ?? null,
        authorUid: user?.uid ?? null,
        authorUserName: user?.userName ?? null,
        authorAddress: author.address,
        created,
      },
    }),
  );
  directory.state.commit([...changes, ...events]);
}
