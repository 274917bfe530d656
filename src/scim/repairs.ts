import type { Profile } from '../domain/credential.ts';
import { badRequest, type ScimType } from './errors.ts';

/**
 * Kinds of corrections of a request. A provider's connector that starts to count here has changed, or was
 * never tested.
 * - `schemas-missing`, `schemas-unknown`: no `schemas`, or a URN that is old, misspelt or not ours
 * - `name-case`, `name-qualified`, `name-dotted`: `username`, `urn:…:User:title`, `name.givenName` as a key
 * - `name-unqualified`, `path-unqualified`: `department` without its schema, as a key or in a path
 * - `path-dotted`: `urn:…:User.department`, a dot between a schema and its attribute
 * - `array-around-value`, `object-around-value`: `["X"]` or `{"value": "X"}` where "X" belongs
 * - `value-for-list`, `value-for-object`: one value where a list belongs, a text where an object belongs
 * - `boolean-as-text`, `number-as-text`, `text-as-other`: "True", "16", or 16 where a text belongs
 * - `json-in-text`: a JSON document inside a text
 * - `blank-as-unassign`: "" where null or nothing belongs
 * - `duplicate-values`, `several-primaries`: lists that contradict themselves
 * - `name-doubled`: a name twice in an object, of which the last one counts
 * - `read-only-dropped`, `password-dropped`, `blank-active-dropped`: values that are never taken
 * - `unknown-attribute-dropped`, `unknown-schema-dropped`, `value-dropped`: parts that cannot be kept
 * - `empty-value-dropped`: a value of a list that tells its use alone
 * - `op-case`, `operation-for-list`: "Replace", one operation where a list belongs
 * - `filter-unquoted`, `filter-unknown`, `filter-dialect`: a text in a filter without its quotes, an attribute that no schema has,
 *   `not` without parentheses, "True" for true, a backslash that begins no escape, an offset of time without its colon, or an
 *   attribute of an extension without its schema or behind a dot
 * - `value-made`: a filter in a path that no value fits, so that one is made
 * - `binary-malformed`: a binary value that is not base64
 * - `remove-by-value`, `remove-value-dropped`: a removal that names its values beside the path; a filter there counts alone
 */
export type RepairKind =
  | 'schemas-missing'
  | 'schemas-unknown'
  | 'name-case'
  | 'name-qualified'
  | 'name-unqualified'
  | 'path-unqualified'
  | 'path-dotted'
  | 'value-made'
  | 'binary-malformed'
  | 'name-dotted'
  | 'array-around-value'
  | 'object-around-value'
  | 'value-for-list'
  | 'value-for-object'
  | 'boolean-as-text'
  | 'number-as-text'
  | 'text-as-other'
  | 'json-in-text'
  | 'blank-as-unassign'
  | 'duplicate-values'
  | 'several-primaries'
  | 'name-doubled'
  | 'read-only-dropped'
  | 'password-dropped'
  | 'blank-active-dropped'
  | 'unknown-attribute-dropped'
  | 'unknown-schema-dropped'
  | 'value-dropped'
  | 'empty-value-dropped'
  | 'op-case'
  | 'operation-for-list'
  | 'filter-unquoted'
  | 'filter-unknown'
  | 'filter-dialect'
  | 'remove-by-value'
  | 'remove-value-dropped';

/** Counts the corrections of a request. */
export interface Repairs {
  /** @param name name in the request, for a kind about a name */
  count(kind: RepairKind, name?: string): void;
}

/** Counts nothing: for bodies that were counted before, or did not come from a provider. */
export const UNCOUNTED: RequestRepairs = { count: () => undefined, list: () => [] };

/** Kinds by which information of a request is lost, beyond what the protocol lets every server ignore. */
const LOSING: ReadonlySet<RepairKind> = new Set([
  'blank-active-dropped',
  'unknown-attribute-dropped',
  'unknown-schema-dropped',
  'value-dropped',
  'name-doubled',
  'several-primaries',
  'remove-value-dropped',
]);
/** Kinds of parts that were not taken as they were sent. */
const DROPPING: ReadonlySet<RepairKind> = new Set([
  ...LOSING,
  'read-only-dropped',
  'password-dropped',
  'empty-value-dropped',
  'duplicate-values',
  'json-in-text',
]);

const REMOVAL_WITH_VALUE = [
  'invalidSyntax',
  'A remove operation has a value; a filter names what is removed.',
] as const;

/** Refusal of a correction by the strict profile; a kind without one is allowed by the standard. */
const STRICT: Partial<Record<RepairKind, readonly [ScimType, string]>> = {
  'schemas-missing': ['invalidSyntax', 'The body has no schemas.'],
  'schemas-unknown': ['invalidSyntax', 'One of the schemas is not known here.'],
  'name-qualified': ['invalidSyntax', 'A name with its schema belongs into a path.'],
  'name-unqualified': [
    'invalidSyntax',
    'An attribute of an extension does not stand below its schema.',
  ],
  'path-unqualified': [
    'invalidPath',
    'The path names an attribute of an extension without its schema.',
  ],
  'path-dotted': ['invalidPath', 'A dot stands between a schema and its attribute.'],
  'value-made': ['noTarget', 'No value fits the filter of the path.'],
  'binary-malformed': ['invalidValue', 'A binary value is not base64.'],
  'name-doubled': ['invalidSyntax', 'An attribute is named twice.'],
  'name-dotted': ['invalidSyntax', 'A name with a dot belongs into a path.'],
  'array-around-value': ['invalidValue', 'A list stands where one value belongs.'],
  'object-around-value': ['invalidValue', 'An object stands where a simple value belongs.'],
  'value-for-list': ['invalidValue', 'One value stands where a list belongs.'],
  'value-for-object': ['invalidValue', 'A simple value stands where an object belongs.'],
  'boolean-as-text': ['invalidValue', 'A text stands where a boolean belongs.'],
  'number-as-text': ['invalidValue', 'A text stands where a number belongs.'],
  'text-as-other': ['invalidValue', 'A number or boolean stands where a text belongs.'],
  'json-in-text': ['invalidValue', 'A text holds a whole JSON document.'],
  'blank-as-unassign': ['invalidValue', 'An empty text is no value: null clears an attribute.'],
  'several-primaries': ['invalidValue', 'Several values of a list are primary.'],
  'blank-active-dropped': ['invalidValue', 'active cannot be cleared.'],
  'unknown-attribute-dropped': ['invalidSyntax', 'An attribute is not known here.'],
  'unknown-schema-dropped': [
    'invalidSyntax',
    'An attribute belongs to a schema that is not known here.',
  ],
  'value-dropped': ['invalidValue', 'A value does not have the type of its attribute.'],
  'op-case': ['invalidSyntax', 'The op of an operation is not in lower case.'],
  'operation-for-list': ['invalidSyntax', 'Operations is not a list.'],
  'filter-unquoted': ['invalidFilter', 'A text of the filter has no quotes.'],
  'filter-unknown': ['invalidFilter', 'The filter names an attribute that is not known here.'],
  'filter-dialect': [
    'invalidFilter',
    'The filter is written in another way than the standard says.',
  ],
  'remove-by-value': REMOVAL_WITH_VALUE,
  'remove-value-dropped': REMOVAL_WITH_VALUE,
};

/** Corrections of one request, by kind. */
export interface RequestRepairs extends Repairs {
  list(): readonly RepairedParts[];
}

/** Parts of a request that were corrected, not taken, or the reason of its refusal. */
export interface RepairedParts {
  readonly kind: RepairKind;
  readonly op: 'repair' | 'drop' | 'refuse';
  readonly count: number;
  /** True where information is lost; false where every server ignores such parts. */
  readonly isLoss: boolean;
}

/**
 * Corrections of one request. The strict profile refuses what it would correct: its `count` throws.
 * @throws ScimError 400, out of `count`
 */
export function createRequestRepairs(
  { repaired }: { repaired(kind: RepairKind): void },
  profile: Profile,
): RequestRepairs {
  const made = new Map<RepairKind, number>();
  const findRefusal = (kind: RepairKind) => (profile === 'strict' ? STRICT[kind] : undefined);
  return {
    count(kind) {
      repaired(kind);
      made.set(kind, (made.get(kind) ?? 0) + 1);
      const refusal = findRefusal(kind);
      if (refusal) throw badRequest(...refusal);
    },
    list: () =>
      [...made].map(([kind, count]) => {
        const isRefused = findRefusal(kind) !== undefined;
        const op = isRefused ? 'refuse' : DROPPING.has(kind) ? 'drop' : 'repair';
        return { kind, op, count, isLoss: !isRefused && LOSING.has(kind) };
      }),
  };
}
