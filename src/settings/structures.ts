import { z } from 'zod';
import type { DriftPolicy } from '../domain/change.ts';
import { DRIFT_ACTIONS, DRIFT_KINDS, isUnmanagedKind } from '../domain/change.ts';
import { createMatcher } from '../domain/name.ts';
import type { Rule } from '../domain/rule-book.ts';
import { hasStar } from '../domain/rule-book.ts';
import { foldCase } from '../domain/values.ts';
import { matching, structured } from './kinds.ts';

/** Behaviour of the service that an operator names. */
export function quirks() {
  const schema = z.strictObject({
    /** Version in the paths of REST calls. */
    apiVersion: z.enum(['latest', 'v1']).exactOptional(),
    /** How `emails` is written when a user is created. */
    emailForm: z.enum(['strings', 'objects']).exactOptional(),
    /** Whether the service takes the name when a user is created, which saves the second call. */
    nameOnCreate: z.boolean().exactOptional(),
    /** How one PATCH names many members: one operation for each, one array of values, or one member a call. */
    memberForm: z.enum(['operations', 'array', 'single']).exactOptional(),
    /** Which REST id of a group its SCIM id equals. */
    groupScimId: z.enum(['restId', 'uid']).exactOptional(),
    /** `false`: the service is never asked to filter lists of users. */
    filter: z.literal(false).exactOptional(),
    /** `false`: a changed userName is never offered to the service. */
    userNameUpdates: z.literal(false).exactOptional(),
  });
  return structured(schema, {
    allowed:
      'a map of apiVersion (latest, v1), emailForm (strings, objects), nameOnCreate (true, false), memberForm (operations, array, single), groupScimId (restId, uid), filter (false) and userNameUpdates (false); JSON in the variable',
    show: (value) => JSON.stringify(value),
  });
}

const WORDS = DRIFT_ACTIONS.join(', ');

/** Action for drift: one word, or a map of kinds. */
export function driftPolicy() {
  const map = z
    .partialRecord(z.enum(['default', ...DRIFT_KINDS]), z.enum(DRIFT_ACTIONS))
    .superRefine((policy, context) => {
      for (const kind of DRIFT_KINDS.filter(isUnmanagedKind)) {
        const message = 'cannot be repaired: nobody asked for it, so it is never touched';
        if (policy[kind] === 'repair') context.addIssue({ code: 'custom', path: [kind], message });
      }
    })
    .transform(({ default: otherwise = 'report', ...kinds }): DriftPolicy => {
      return { default: otherwise, kinds };
    });
  const toMap = (given: unknown) => (typeof given === 'string' ? { default: given } : given);
  return structured(z.preprocess(toMap, map), {
    allowed: `${WORDS}; or a map of the kinds of drift and default to these; JSON in the variable`,
    show: showPolicy,
  });
}

/** A policy as it is written: one word, or a map. */
function showPolicy(policy: unknown): string {
  const { default: otherwise, kinds } = Object(policy);
  const isOneWord = Object.keys(Object(kinds)).length === 0;
  return isOneWord ? String(otherwise) : JSON.stringify({ default: otherwise, ...Object(kinds) });
}

/** More receivers than this are a mistake: each is sent everything on its own. */
const RECEIVERS_MAX = 20;

/** Types of notifications. */
const TYPES = [
  ...['reason.began', 'reason.ended', 'plan.held', 'credential.expires', 'leaver.late'],
  ...['leaver.done', 'test', ...DRIFT_KINDS.map((kind) => `drift.found.${kind}`)],
];

const receiver = z
  .strictObject({
    name: matching('a name of letters, digits, dots, dashes', (name) =>
      /^[\w.-]{1,64}$/.test(name),
    ),
    url: matching('an https:// address without a user or a fragment', isReceiverUrl),
    secretFile: matching('the path of a file', (path) => /^.{1,4096}$/.test(path)).optional(),
    events: z
      .array(matching('a type such as reason.*', (type) => createMatcher([type])(TYPES)))
      .min(1)
      .max(100)
      .default(['*']),
    format: z.enum(['standard', 'slack', 'teams']).default('standard'),
    names: z.boolean().default(false),
  })
  .refine(({ format, secretFile }) => format !== 'standard' || secretFile !== undefined, {
    message: 'is missing: with it the format standard is signed',
    path: ['secretFile'],
  });

/** Receivers of notifications. */
export function receiverList() {
  const list = z
    .array(receiver)
    .max(RECEIVERS_MAX)
    .superRefine((receivers, context) => {
      const names = receivers.map(({ name }) => name);
      for (const [index, name] of names.entries()) {
        const message = `is ${name}, as another one's`;
        if (names.indexOf(name) < index)
          context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
    });
  return structured(list, {
    allowed:
      'a list of receivers, each with name, url and secretFile, and with events, format and names where they are others; JSON in the variable',
    // The address of a Slack or Teams channel is its password.
    secret: 'value',
  });
}

function isReceiverUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.hash === '';
}

/** More rules than this are a mistake: each one is evaluated at each change of a group. */
const RULES_MAX = 500;
const NUMBER_MAX = 2_147_483_647;
const ENTITIES_MAX = 200;
const ROLES_MAX = 20;

const pattern = matching(
  'the name of a group, `*` stands for any text',
  (text) => text.trim() === text && text !== '' && text.length <= 1_000,
);
const amount = z.int().min(0).max(NUMBER_MAX).exactOptional();
const flag = z.boolean().exactOptional();
const id = matching('an id', (text) => /^[\w-]{1,64}$/.test(text));
const entities = z
  .array(z.strictObject({ uid: id, roles: z.array(id).min(1).max(ROLES_MAX) }))
  .min(1)
  .max(ENTITIES_MAX)
  .refine(
    (some) => new Set(some.map(({ uid }) => uid)).size === some.length,
    'names an entity twice',
  );

/** Each kind of rule, by the key that tells it from the others. */
const RULES = {
  group: z.strictObject({
    group: pattern,
    permissions: amount,
    addToCardsAndSpacesEnabled: flag,
    entities: entities.exactOptional(),
  }),
  adminsOf: z.strictObject({ adminsOf: pattern, from: pattern }).superRefine((rule, context) => {
    const message = findSenseless(rule);
    if (message !== undefined) context.addIssue(message);
  }),
  membersOf: z.strictObject({
    membersOf: pattern,
    appsPermissions: z.literal([0, 1, 2, 4, 5, 6]).exactOptional(),
    temporarilyInactive: flag,
  }),
};
const KINDS = ['group', 'adminsOf', 'membersOf'] as const;

const rule = z.looseObject({}).transform((entry, context): Rule => {
  const [kind, ...others] = KINDS.filter((key) => key in entry);
  if (kind === undefined || others.length > 0) {
    context.addIssue('has to have exactly one of the keys group, adminsOf and membersOf');
    return z.NEVER;
  }
  if (Object.keys(entry).length === 1) context.addIssue('sets nothing');
  const { success, data, error } = RULES[kind].safeParse(entry);
  const allowed = Object.keys(RULES[kind].shape).join(', ');
  for (const { code, path, message } of error?.issues ?? []) {
    const known = code === 'unrecognized_keys' ? `; allowed: ${allowed}` : '';
    context.addIssue({ code: 'custom', path: [...path], message: message + known });
  }
  return success ? data : z.NEVER;
});

/** The rules of the configuration. */
export function ruleList() {
  const allowed =
    'a list of rules, each with the key group, adminsOf or membersOf; JSON in the variable';
  return structured(z.array(rule).max(RULES_MAX), { allowed });
}

function findSenseless({ adminsOf, from }: { adminsOf: string; from: string }) {
  if (foldCase(adminsOf) === foldCase(from)) {
    return 'makes every member of a group an admin of the same group: adminsOf and from are equal';
  }
  const isAmbiguous = [adminsOf, from].some((text) => text.split('*').length > 2);
  return hasStar(adminsOf) && hasStar(from) && isAmbiguous
    ? 'has more than one * where * stands for the same text in adminsOf and from'
    : undefined;
}

/** More extensions, or attributes of one, are a mistake: each is described to every provider. */
const [EXTENSIONS_MAX, ATTRIBUTES_MAX] = [20, 100];

/** Fields of the service that an attribute may stand for, with their types. */
const FIELDS = {
  User: new Map(Object.entries({ appsPermissions: 'integer', temporarilyInactive: 'boolean' })),
  Group: new Map(Object.entries({ permissions: 'integer', addToCardsAndSpacesEnabled: 'boolean' })),
};

/** Names that the bridge treats in the same way wherever they stand. */
const RESERVED =
  'active, admins, displayName, emails, entitlements, externalId, id, members, meta, primary, roles, schemas, userName';

/** The URNs, and misspelt ones, of the schemas that the bridge has itself. */
const BUILT_IN =
  /^urn:(?:(?:ietf:params:)?scim:(?:api|schemas:(?:core|extension:(?:enterprise|workmanagement)))|okta:scim:schemas:core)(?::|$)/i;
/** A URN that stands in addresses, lists and paths of attributes as it is. @see RFC 8141 §2 */
const PLAIN_URN = /^(?=.{1,200}$)urn:[a-zA-Z\d][a-zA-Z\d-]{1,31}(?::[\w.-]*\w)+$/;

const isName = (name: string) => /^[a-z][\w$-]{0,99}$/i.test(name) && !(name in {});
const description = z.string().max(1_000).default('');
const extensionAttribute = z.strictObject({
  name: matching(
    `a letter and then letters, digits, $, - and _, and none of ${RESERVED}`,
    (name) => isName(name) && !RESERVED.toLowerCase().split(', ').includes(name.toLowerCase()),
  ),
  type: z.enum(['string', 'boolean', 'integer', 'decimal', 'dateTime']).exactOptional(),
  multiValued: z.boolean().default(false),
  required: z.boolean().default(false),
  description,
  field: z.string().exactOptional(),
});

const extension = z
  .strictObject({
    urn: matching(
      'a URN such as urn:example:scim:schemas:staff:1.0:User, and none of a built-in schema',
      (urn) => PLAIN_URN.test(urn) && !BUILT_IN.test(urn),
    ),
    resource: z.enum(['User', 'Group']),
    name: matching('a letter and then letters, digits, $, - and _', isName).exactOptional(),
    description,
    attributes: z.array(extensionAttribute).min(1).max(ATTRIBUTES_MAX),
  })
  .transform(({ name, ...rest }, context) => {
    const fields = FIELDS[rest.resource];
    const attributes = rest.attributes.map(({ type, ...attribute }, at) => {
      const { field, multiValued } = attribute;
      const own = field === undefined ? (type ?? 'string') : fields.get(field);
      const fits = own !== undefined && (type ?? own) === own && !(field && multiValued);
      const allowed = [...fields].map((known) => known.join(' of the type ')).join(' or ');
      const issue = { code: 'custom', message: `has to be ${allowed}, with one value` } as const;
      if (!fits) context.addIssue({ ...issue, path: ['attributes', at, 'field'] });
      return { ...attribute, type: own ?? 'string' };
    });
    return { ...rest, name: name ?? rest.urn.split(':').at(-1) ?? '', attributes };
  });

/** Schemas that users or groups have beside the built-in ones. */
export function extensionList() {
  const list = z
    .array(extension)
    .max(EXTENSIONS_MAX)
    .superRefine((extensions, context) => {
      const taken = new Set<string>();
      const take = (path: (string | number)[], name: string) => {
        // A dot may stand between a schema and its attribute.
        const folded = name.toLowerCase().replaceAll('.', ':');
        const message = `is ${name}, as another one's`;
        if (taken.has(folded)) context.addIssue({ code: 'custom', path, message });
        taken.add(folded);
      };
      for (const [index, { urn, attributes }] of extensions.entries()) {
        take([index, 'urn'], urn);
        for (const [at, { name }] of attributes.entries())
          take([index, 'attributes', at, 'name'], `${urn}:${name}`);
      }
    });
  const allowed = 'a list of extensions with urn, resource and attributes; JSON in the variable';
  return structured(list, { allowed });
}
