import type { Profile } from '../domain/credential.ts';
import { badRequest, type ScimType } from './errors.ts';

/** Kind of part of a request that was not taken as it was sent. */
interface Repair {
  /** What was sent, and what became of it. */
  readonly words: string;
  readonly op: 'repair' | 'drop';
  /** True where information is lost, beyond what the protocol lets every server ignore. */
  readonly isLoss: boolean;
  /** Error keyword by which a strict credential is refused; undefined: it is repaired as for any other. */
  readonly strict: ScimType | undefined;
}

/**
 * Every kind of repair. A provider's connector that starts to count here has changed, or was never tested. A strict
 * credential is refused what the SCIM 2.0 Interoperability Profile has refused, and nothing else.
 * @see draft-zollner-scim-interop-profile-02
 */
export const REPAIRS = {
  'schemas-missing': repaired('no schemas were named: they follow from the address'),
  'schemas-unknown': repaired('a schema is old, misspelt or not known here', 'invalidSyntax'),
  'name-case': repaired('an attribute is spelt in another case'),
  'name-qualified': repaired('an attribute stands under its full name, with its schema'),
  'name-unqualified': repaired('an attribute of an extension stands without its schema'),
  'name-dotted': repaired('an attribute of an object is named with a dot'),
  'name-doubled': lost('an attribute is there twice: the last one counts'),
  'path-unqualified': repaired('a path names an attribute of an extension without its schema'),
  'path-dotted': repaired('a path has a dot between a schema and its attribute'),
  'array-around-value': repaired('a list stands around a single value'),
  'object-around-value': repaired('an object stands around a simple value'),
  'value-for-list': repaired('one value stands where a list belongs', 'invalidValue'),
  'value-for-object': repaired('a text stands where an object belongs', 'invalidValue'),
  'boolean-as-text': repaired('a text such as "True" stands for true or false'),
  'number-as-text': repaired('a text stands for a number'),
  'text-as-other': repaired('a number or true or false stands for a text'),
  'blank-as-unassign': repaired('an empty text is taken as no value'),
  'binary-malformed': repaired('a binary value is not base64'),
  'value-made': repaired('no value fits the filter of a path: one is made'),
  'op-case': repaired('the op of an operation is not in lower case'),
  'operation-for-list': repaired('one operation stands where a list belongs'),
  'filter-unquoted': repaired('a text of the filter has no quotes'),
  'filter-unknown': repaired(
    'the filter names an attribute that is not known here',
    'invalidFilter',
  ),
  'filter-dialect': repaired('the filter is written in another way than the standard says'),
  'remove-by-value': repaired('a removal names its values beside the path'),
  'remove-value-dropped': lost('a removal has a filter and a value: the filter counts alone'),
  'json-in-text': dropped('a text holds a whole JSON document'),
  'duplicate-values': dropped('a value is there twice: it is taken once'),
  'several-primaries': lost('several values are primary: one of them is taken so'),
  'read-only-dropped': dropped('what only the bridge sets is left out'),
  'password-dropped': dropped('a password is never taken'),
  'blank-active-dropped': lost('active cannot be cleared: it stays as it is'),
  'empty-value-dropped': dropped('a value tells its use alone: it is left out'),
  'value-dropped': lost('a value has not the type of its attribute: it is left out'),
  'unknown-attribute-dropped': lost('an attribute is not known here', 'invalidSyntax'),
  'unknown-schema-dropped': lost('an extension is not known here', 'invalidSyntax'),
} satisfies Record<string, Repair>;

/** Name of a kind of repair. */
export type RepairKind = keyof typeof REPAIRS;

/** Finds the words of a repair; null for a kind of an earlier version. */
export function findRepairWords(kind: string): string | null {
  const rows: Readonly<Record<string, Repair>> = REPAIRS;
  return Object.hasOwn(rows, kind) ? (rows[kind]?.words ?? null) : null;
}

/** Counts the repairs of a request. */
export interface Repairs {
  /** @param name name in the request, for a kind about a name */
  count(kind: RepairKind, name?: string): void;
}

/** Counts nothing: for bodies that were counted before, or did not come from a provider. */
export const UNCOUNTED: RequestRepairs = { count: () => undefined, list: () => [] };

/** Repairs of one request, by kind. */
export interface RequestRepairs extends Repairs {
  list(): readonly RepairedParts[];
}

/** Parts of a request that were repaired, not taken, or the reason of its refusal. */
export interface RepairedParts {
  readonly kind: RepairKind;
  readonly op: 'repair' | 'drop' | 'refuse';
  readonly count: number;
  /** True where information is lost; false where every server ignores such parts. */
  readonly isLoss: boolean;
}

/**
 * Repairs of one request. For a strict credential `count` throws where the table has it refused.
 * @throws ScimError 400, out of `count`
 */
export function createRequestRepairs(
  { repaired }: { repaired(kind: RepairKind): void },
  profile: Profile,
): RequestRepairs {
  const made = new Map<RepairKind, number>();
  const findRefusal = (kind: RepairKind) =>
    profile === 'strict' ? REPAIRS[kind].strict : undefined;
  return {
    count(kind) {
      repaired(kind);
      made.set(kind, (made.get(kind) ?? 0) + 1);
      const refusal = findRefusal(kind);
      if (refusal)
        throw badRequest(refusal, `The strict profile refuses this: ${REPAIRS[kind].words}.`);
    },
    list: () =>
      [...made].map(([kind, count]) => {
        const isRefused = findRefusal(kind) !== undefined;
        const { op, isLoss } = REPAIRS[kind];
        return { kind, op: isRefused ? 'refuse' : op, count, isLoss: !isRefused && isLoss };
      }),
  };
}

function repaired(words: string, strict?: ScimType): Repair {
  return { words, op: 'repair', isLoss: false, strict };
}

function dropped(words: string): Repair {
  return { words, op: 'drop', isLoss: false, strict: undefined };
}

function lost(words: string, strict?: ScimType): Repair {
  return { words, op: 'drop', isLoss: true, strict };
}
