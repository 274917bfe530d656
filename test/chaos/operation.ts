import type { Group, Person } from './company.ts';

/** How a provider writes a change of a person: the whole resource, or a PATCH in one of the dialects in use. */
export const personDialects = ['put', 'paths', 'one value', 'capitals', 'if-match'] as const;
/** How a provider names many members in a PATCH. */
export const memberDialects = ['array', 'one each', 'one request each'] as const;

/** What a change of a person sets; what is absent stays. */
export interface PersonChange {
  readonly active?: boolean;
  readonly fullName?: string;
  readonly title?: string;
  readonly email?: string;
  readonly suspended?: boolean;
}

/** One thing that a provider does. */
export type Operation =
  | {
      readonly kind: 'hire';
      readonly person: Person;
      readonly fullName: string;
      readonly active: boolean;
    }
  | { readonly kind: 'hire twice'; readonly person: Person }
  | {
      readonly kind: 'change person';
      readonly person: Person;
      readonly change: PersonChange;
      readonly dialect: (typeof personDialects)[number];
    }
  | { readonly kind: 'dismiss'; readonly person: Person }
  | {
      readonly kind: 'found group';
      readonly group: Group;
      readonly name: string;
      readonly members: readonly Person[];
    }
  | {
      readonly kind: 'rename group';
      readonly group: Group;
      readonly name: string;
      readonly dialect: 'path' | 'with id' | 'put';
    }
  | {
      readonly kind: 'move members';
      readonly group: Group;
      readonly added: readonly Person[];
      readonly removed: readonly Person[];
      readonly dialect: (typeof memberDialects)[number];
    }
  | {
      readonly kind: 'set members';
      readonly group: Group;
      /** What a PUT calls it. */
      readonly name: string;
      readonly members: readonly Person[];
      readonly dialect: 'put' | 'replace';
    }
  | {
      readonly kind: 'move admins';
      readonly group: Group;
      readonly added: readonly Person[];
      readonly removed: readonly Person[];
    }
  | { readonly kind: 'offer group'; readonly group: Group; readonly isOffered: boolean }
  | { readonly kind: 'dissolve'; readonly group: Group }
  | { readonly kind: 'read'; readonly person: Person }
  | { readonly kind: 'bulk'; readonly operations: readonly Operation[] };

/** How a provider takes it when nobody answers. */
export interface Manner {
  /** Sends the same again; otherwise goes on with something else. What creates or deletes is always sent again. */
  readonly repeats: boolean;
  /** Hangs up so many milliseconds after it was sent, once. */
  readonly hangsUpAfterMs: number | undefined;
}

/** One operation of a schedule. */
export interface ScheduledOperation {
  readonly kind: 'operation';
  readonly actor: number;
  readonly operation: Operation;
  readonly manner: Manner;
}

/** What an operation is called in a trace. */
export function toText(operation: Operation): string {
  switch (operation.kind) {
    case 'bulk':
      return `bulk (${operation.operations.map(toText).join(', ')})`;
    case 'hire':
      return `hire ${operation.person.address} as ${operation.fullName}, active ${operation.active}`;
    case 'hire twice':
    case 'dismiss':
    case 'read':
      return `${operation.kind} ${operation.person.address}`;
    case 'change person':
      return `change ${operation.person.address} (${operation.dialect}): ${JSON.stringify(operation.change)}`;
    case 'found group':
      return `found group ${operation.group.n} as ${operation.name} with ${toNumbers(operation.members)}`;
    case 'rename group':
      return `rename group ${operation.group.n} (${operation.dialect}): ${operation.name}`;
    case 'move members':
    case 'move admins':
      return `${operation.kind} of group ${operation.group.n}: +${toNumbers(operation.added)} -${toNumbers(operation.removed)}`;
    case 'set members':
      return `set members of group ${operation.group.n} (${operation.dialect}): ${toNumbers(operation.members)}`;
    case 'offer group':
      return `offer group ${operation.group.n}: ${operation.isOffered}`;
    case 'dissolve':
      return `dissolve group ${operation.group.n}`;
  }
}

function toNumbers(people: readonly Person[]): string {
  return `[${people.map(({ n }) => n).join(' ')}]`;
}
