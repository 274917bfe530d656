import type { JsonObject, JsonValue } from '../../../src/domain/json.ts';
import { type Deed, type Deeds, toName } from './company.ts';
import { type Answer, type Call, findPerson, toListAnswer } from './route.ts';
import type { OtherShape } from './shape.ts';

type Words = readonly [category: string, action: string];

/** The words that the names alone suggest. Nothing documented is a name for a rename: it is told as a creation's sister. */
const PLAIN: Readonly<Record<Deed, Words>> = {
  'join company': ['user_management', 'invite'],
  'rename person': ['user_profile', 'change_email'],
  activate: ['user_management', 'activate'],
  deactivate: ['user_management', 'deactivate'],
  license: ['user_management', 'change_apps_permissions'],
  'leave company': ['user_management', 'depersonalization'],
  'found group': ['group_management', 'create'],
  'rename group': ['group_management', 'change_permissions'],
  'empower group': ['group_management', 'change_permissions'],
  'dissolve group': ['group_management', 'delete'],
  'join group': ['group_management', 'add_user'],
  'leave group': ['group_management', 'delete_user'],
  promote: ['group_management', 'add_admin'],
  demote: ['group_management', 'delete_admin'],
};

/** Documented words too, of which each fits as well. */
const OF_ADMINS: Readonly<Record<Deed, Words>> = {
  'join company': ['company_profile', 'create'],
  'rename person': ['user_management', 'change_permissions'],
  activate: ['company_profile', 'grant_access'],
  deactivate: ['company_profile', 'revoke_access'],
  license: ['user_management', 'change_permissions'],
  'leave company': ['user_management', 'delete'],
  'found group': ['user_management', 'group_activate'],
  'rename group': ['company_profile', 'change_permissions'],
  'empower group': ['user_management', 'grant_access'],
  'dissolve group': ['user_management', 'group_deactivate'],
  'join group': ['group_management', 'admin_add_user'],
  'leave group': ['group_management', 'admin_delete_user'],
  promote: ['group_management', 'grant_access'],
  demote: ['group_management', 'revoke_access'],
};

/** GET /audit-logs. */
export function retrieveAuditLogEvents({ company, query }: Call): Answer {
  const { shape, log, clock } = company;
  const latest = clock() - shape.auditLateMs;
  const from = Date.parse(query.get('from') ?? '') || 0;
  const to = Date.parse(query.get('to') ?? '') || Number.POSITIVE_INFINITY;
  const author = query.get('author_id');
  const found = log.filter(
    ({ at, author: { id } }) =>
      at <= latest && at >= from && at <= to && (author === null || author === String(id)),
  );
  const all = shape.auditOrder === 'oldest first' ? found : found.toReversed();
  const offset = Number(query.get('offset') ?? 0);
  const wanted = Number(query.get('limit') ?? 0) || 100;
  const page = all.slice(offset, offset + Math.min(wanted, shape.pageMax.audit));
  const shown = page.map((each) => toEvent(each, { company, query }));
  return toListAnswer(shape, shown);
}

function toEvent(done: Deeds, { company }: Pick<Call, 'company' | 'query'>): JsonObject {
  const { shape } = company;
  const { author } = done;
  const account = findPerson(company.now(), String(author.id));
  const [category, action] = toWords(done.deed, shape);
  return {
    id: done.id,
    app_name: null,
    company_uid: null,
    author_id: author.id,
    author_uid: account?.uid ?? null,
    author_username: account?.userName ?? null,
    author_remote_address: author.address,
    author: null,
    category,
    action,
    message: toMessage(done, shape),
    details: toDetails(done, shape),
    created: new Date(done.at).toISOString(),
  };
}

function toWords(deed: Deed, { auditWords }: OtherShape): Words {
  if (auditWords === 'plain') return PLAIN[deed];
  return auditWords === 'of admins' ? OF_ADMINS[deed] : ['members', `v2.${deed}`];
}

function toMessage({ deed, person, team }: Deeds, { auditDetails }: OtherShape): string {
  if (auditDetails !== 'message') return 'Done';
  const who = person === undefined ? '' : ` (${person.email})`;
  return `${deed}${who}${team === undefined ? '' : `: ${team.name}`}`;
}

function toDetails({ person, team }: Deeds, { auditDetails }: OtherShape): JsonValue {
  if (auditDetails === 'message' || auditDetails === 'nothing') return null;
  const details = {
    ...(person === undefined
      ? {}
      : { target: { uid: person.uid, name: toName(person), id: person.id } }),
    ...(team === undefined ? {} : { into: [{ group: { uid: team.uid, title: team.name } }] }),
  };
  return auditDetails === 'text' ? JSON.stringify(details) : details;
}
