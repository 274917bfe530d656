import type { Clients, ClientWithSecrets } from '../../access/clients.ts';
import type { SecretRow } from '../../store/credentials/clients.ts';
import type { AccessQuery } from '../../store/credentials/tokens.ts';
import { toMoment } from '../http/moment.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import type { ClientView } from '../schemas/access.ts';
import { ACCESS_LIST, parseLifetime, readAccessList, toLifeView } from './credential.ts';

const LIFETIME = { min: '365d', max: '1095d', otherwise: '730d' } as const;

interface Needs {
  readonly access: { readonly clients: Clients };
}

/** Requests about OAuth clients. */
export const clientRoutes = [
  route({
    ...ACCESS_LIST,
    method: 'get',
    path: '/clients',
    tag: 'Credentials',
    summary: 'OAuth clients, the newest first, with their secrets; never the texts of these.',
    answers: { 200: 'ClientList' },
    async handle({ access: { clients } }: Needs, { query }) {
      const list = async (part: AccessQuery) =>
        (await clients.list(part)).map((one) => ({ ...one, seq: one.client.seq }));
      return ok(await readAccessList(query, list, toClientView));
    },
  }),
  route({
    method: 'post',
    path: '/clients',
    tag: 'Credentials',
    summary: 'Makes a client with a secret. No other answer has its text.',
    body: 'ClientBody',
    answers: { 201: 'NewSecret', 409: 'Problem' },
    async handle({ access: { clients } }: Needs, { body, operator }) {
      const { name, profile = 'lenient', expires } = body;
      const validForMs = parseLifetime(expires, LIFETIME);
      const made = await clients.make(name, { profile, validForMs, by: operator.id });
      if (made.kind === 'made') return toMade(made);
      const message = 'Another client has this name: revoke it first, or take another name.';
      return problem(409, 'name-taken', message);
    },
  }),
  route({
    method: 'post',
    path: '/clients/{id}/rotate',
    tag: 'Credentials',
    summary: 'Gives the client with this id or name a second secret; a third is refused.',
    body: 'SecretBody',
    answers: { 201: 'NewSecret', 404: 'Problem', 409: 'Problem' },
    async handle({ access: { clients } }: Needs, { params, body: { expires }, operator }) {
      const validForMs = parseLifetime(expires, LIFETIME);
      const made = await clients.rotate(params.id, { validForMs, by: operator.id });
      if (made.kind === 'made') return toMade(made);
      if (made.kind === 'unknown') return unknownClient();
      const message = 'Two secrets of this client are valid: revoke one of them first.';
      return problem(409, 'two-secrets', message);
    },
  }),
  route({
    method: 'post',
    path: '/clients/{id}/revoke',
    tag: 'Credentials',
    summary: 'Ends a client, or one of its secrets, with every access token that it got.',
    body: 'RevokeBody',
    answers: { 200: 'Client', 404: 'Problem' },
    async handle({ access: { clients } }: Needs, { params, body }) {
      const found = await clients.revoke(params.id, body.secret);
      if (found === undefined) return unknownClient();
      const view = toClientView(found);
      return { ...ok(view), target: view.id, change: { after: toState(view) } };
    },
  }),
] as const;

function toMade(made: ClientWithSecrets & { readonly text: string }) {
  const view = toClientView(made);
  const change = { after: toState(view) };
  return { status: 201, json: { ...view, secret: made.text }, target: view.id, change } as const;
}

/** The state of a client for the acts of operators. */
function toState({ name, profile, secrets, revokedAt }: ClientView) {
  const valid = secrets.filter((secret) => secret.revokedAt === null).map(({ id }) => id);
  return { name, profile, secrets: valid, revokedAt };
}

function unknownClient(): Answer<404, Problem> {
  return problem(404, 'not-found', 'No client has this id or name, or no such secret.');
}

function toClientView({ client, secrets }: ClientWithSecrets): ClientView {
  return {
    id: `client-${client.id}`,
    name: client.name,
    profile: client.profile,
    ...toLifeView(client),
    secrets: secrets.map(toSecretView),
  };
}

function toSecretView(row: SecretRow): ClientView['secrets'][number] {
  const expiresAt = toMoment(row.expires_at);
  return { id: `secret-${row.id}`, ...toLifeView(row), expiresAt };
}
