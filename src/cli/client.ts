import { Option } from 'commander';
import type { ClientView } from '../ops/schemas/access.ts';
import {
  accessCommand,
  addList,
  addMaking,
  addRevoke,
  expiresOption,
  profileOption,
  providerOption,
  SHOWN_ONCE,
  toLifeText,
  toProfileText,
  toProviderText,
  toState,
  toUse,
} from './ask-access.ts';
import { parseAnswer } from './json.ts';
import { type Column, toDim } from './table.ts';
import { toProof, toTrustLines, trustOptions } from './trust-options.ts';

const help = 'how long the secret is valid, from 365d to 1095d';
const expires = expiresOption(help, '730d');
const secretExpires = new Option('--expires <duration>', `${help}; 730d when left out`);

/** `client`: manages OAuth clients, for providers that fetch access tokens. */
export const addClientCommand = accessCommand(
  { name: 'client', about: 'OAuth clients and their secrets' },
  (access) => {
    addMaking(access, {
      usage: 'create <name>',
      description:
        'make a client: with a secret, which is printed once and kept nowhere, or with what its assertions have to say',
      options: [profileOption(), providerOption(), secretExpires, ...trustOptions(access.context)],
      toRequest: (name, wish) => ({
        path: '/clients',
        body: { name, ...toProof(wish) },
      }),
      toText: toMadeText,
    });
    addMaking(access, {
      usage: 'rotate <name-or-id>',
      description: 'give a client a second secret; the first one stays valid until it is revoked',
      options: [expires],
      toRequest: (key, body) => ({ path: toPath(key, 'rotate'), body }),
      toText: toMadeText,
    });
    addList<ClientView>(access, {
      path: '/clients',
      description: 'clients that are not revoked, with their secrets, the newest first',
      none: 'There is no client that is not revoked.',
      revoked: 'hidden',
      columns,
    });
    addRevoke<{ readonly secret?: string }, ClientView>(access, {
      description: 'end a client, or one of its secrets, with every access token that it got',
      options: [new Option('--secret <id>', 'end this secret alone')],
      toQuestion(key, { secret }) {
        const ended = secret === undefined ? `the client ${key}` : `${secret} of the client ${key}`;
        return `End ${ended}, with every access token that it got?`;
      },
      async end(client, key, { secret }) {
        const body = secret === undefined ? {} : { secret };
        return parseAnswer(await client.send('POST', toPath(key, 'revoke'), body));
      },
      toText({ id, name }, { secret }) {
        const what = secret === undefined ? '' : `${secret} of `;
        return `${what}${name} (${id}) is revoked.\n`;
      },
    });
  },
);

const columns: readonly Column<ClientView>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => toDim(id) },
  { head: 'name', cell: (view) => `${view.name}${toProviderText(view)}${toProfileText(view)}` },
  { head: 'proven by', cell: toProofText },
  { head: 'last used', rank: 'minor', cell: ({ lastUsedAt }) => toUse(lastUsedAt) },
];

function toProofText({ trust, secrets, revokedAt }: ClientView): string {
  if (revokedAt !== null) return toState({ expiresAt: null, revokedAt });
  if (trust === null) return secrets.map(toSecretText).join('; ');
  return `assertions of ${trust.issuer ?? 'its own'}`;
}

function toSecretText(secret: ClientView['secrets'][number]): string {
  return `${secret.id} ${toState(secret)}`;
}

function toPath(key: string, verb: 'rotate' | 'revoke'): `/${string}` {
  return `/clients/${encodeURIComponent(key)}/${verb}`;
}

function toMadeText({ secret, ...view }: ClientView & { secret: string | null }): string {
  const id = `${toLines(view)}\nclient_id      ${view.id}\n`;
  return secret === null ? id : `${id}client_secret  ${secret}\n${SHOWN_ONCE}`;
}

function toLines(view: ClientView): string {
  const { id, name, trust, secrets, revokedAt, lastUsedAt } = view;
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`;
  const state = revokedAt === null ? used : `revoked ${revokedAt}, ${used}`;
  const head = `${id}  ${name}${toProviderText(view)}${toProfileText(view)}  ${state}\n`;
  const lines = trust === null ? [] : toTrustLines(trust);
  const held = secrets.map((secret) => `  ${secret.id}  ${toLifeText(secret)}\n`);
  return [head, ...lines, ...held].join('');
}
