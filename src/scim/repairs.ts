import type { Profile } from '../domain/credential.ts';
import type { Events } from '../telemetry/events.ts';
import type { ScimType } from './errors.ts';
import { badRequest, ScimError } from './errors.ts';

interface Repair {
  /** What was sent, and what became of it. */
  readonly words: string;
  readonly op: 'repair' | 'drop';
  /** True where information is lost, beyond what the protocol lets every server ignore. */
  readonly isLoss: boolean;
  /** Error keyword by which a strict credential is refused; undefined: it is repaired as for any other. */
  readonly strict: ScimType | undefined;
}

const make =
  (op: Repair['op'], isLoss: boolean) =>
  (words: string, strict?: ScimType): Repair => ({ words, op, isLoss, strict });
const [repaired, dropped, lost] = [make('repair', false), make('drop', false), make('drop', true)];

/** Every kind of repair. A strict credential is refused what the SCIM 2.0 Interoperability Profile has refused (draft-zollner-scim-interop-profile-02). */
export const REPAIRS = {
  'schemas-missing': repaired('no schemas were named: they follow from the address'),
  'schemas-unknown': repaired('a schema is old, misspelt or not known here', 'invalidSyntax'),
  'name-spelling': repaired('a name is spelt, or qualified by its schema, in another way'),
  'name-doubled': lost('an attribute is there twice: the last one counts'),
  'path-missing': repaired('an operation has no path', 'invalidSyntax'),
  'value-wrapped': repaired('a list or an object stands around a single value'),
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
  'password-dropped': dropped('a password is never taken', 'invalidSyntax'),
  'blank-active-dropped': lost('active cannot be cleared: it stays as it is'),
  'empty-value-dropped': dropped('a value tells its use alone: it is left out'),
  'part-left-out': lost(
    'a part is refused: the request is taken without it, since it takes access away',
  ),
  'address-missing': lost('a new user has no e-mail address: no account is made until one comes'),
  'name-recycled': lost(
    'the account was of somebody with another externalId: no licence of it passes on',
  ),
  'unknown-member-dropped': lost('a member is known to nobody: the provider has it skipped'),
  'nested-group-dropped': lost('a group is no member: the provider has it skipped'),
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
  /** True for a strict credential. */
  readonly isStrict?: boolean;
  /** Keeps the refusal of a part that is left out; absent: a part that is refused refuses the whole. */
  readonly leaveOut?: ((refusal: ScimError) => void) | undefined;
}

/** Does the work on a part of a request; a refused part is left out (undefined), or refuses the whole. @param toPlace its name */
export function attempt<Result>(
  repairs: Repairs,
  toPlace: (() => string) | undefined,
  work: (repairs: Repairs) => Result,
): Result | undefined {
  const { leaveOut } = repairs;
  const placed = (error: ScimError) =>
    toPlace ? error.say((words) => `${toPlace()}: ${words}`) : error;
  const inside = leaveOut && ((error: ScimError) => leaveOut(placed(error)));
  try {
    return work(inside ? { count: repairs.count, leaveOut: inside } : repairs);
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    if (inside === undefined) throw placed(error);
    inside(error);
    return undefined;
  }
}

/** Counts nothing: for bodies that were counted before, or did not come from a provider. */
export const UNCOUNTED: RequestRepairs = {
  count: () => undefined,
  list: () => [],
  listLeftOut: () => [],
};

/** Repairs of one request, by kind. */
export interface RequestRepairs extends Repairs {
  list(): readonly RepairedParts[];
  /** The refusals of the parts that are left out, each once. */
  listLeftOut(): readonly ScimError[];
}

/** Parts of a request that were repaired, not taken, or the reason of its refusal. */
export interface RepairedParts {
  readonly kind: RepairKind;
  readonly op: 'repair' | 'drop' | 'refuse';
  readonly count: number;
}

/** Repairs of one request. For a strict credential `count` throws where the table has it refused. @throws ScimError 400 */
export function createRequestRepairs(
  { requestRepaired }: Pick<Events, 'requestRepaired'>,
  profile: Profile,
): RequestRepairs {
  const made = new Map<RepairKind, number>();
  // By their words, since a write that is stored again meets the same refusals.
  const leftOut = new Map<string, ScimError>();
  let refusals = 0;
  const findRefusal = (kind: RepairKind) =>
    profile === 'strict' ? REPAIRS[kind].strict : undefined;
  const keep = (refusal: ScimError) => {
    refusals += 1;
    if (refusals > LEFT_OUT_MAX) throw refusal;
    leftOut.set(refusal.message, refusal);
  };
  return {
    count(kind, name) {
      requestRepaired({ kind });
      made.set(kind, (made.get(kind) ?? 0) + 1);
      const refusal = findRefusal(kind);
      if (refusal === undefined) return;
      const which = name !== undefined && NAME.test(name) ? ` (${name})` : '';
      throw badRequest(refusal, `The strict profile refuses this: ${REPAIRS[kind].words}${which}.`);
    },
    isStrict: profile === 'strict',
    leaveOut: profile === 'strict' ? undefined : keep,
    listLeftOut: () => [...leftOut.values()],
    list: () =>
      [...made].map(([kind, count]) => {
        const isRefused = findRefusal(kind) !== undefined;
        return { kind, op: isRefused ? 'refuse' : REPAIRS[kind].op, count };
      }),
  };
}

/** Most refused parts of a request, each of which costs time. */
const LEFT_OUT_MAX = 2_000;

/** A name that may be shown: of an attribute or a schema, not a value in the place of one. */
const NAME = /^[\w$:./-]{1,200}$/;
