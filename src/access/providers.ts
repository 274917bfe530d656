import type { ProviderTerms, TermsChange } from '../domain/provider.ts';
import { DEFAULT_PROVIDER, DEFAULT_TERMS } from '../domain/provider.ts';
import { findBelonging, findTerms, parseTerms } from '../store/credentials.ts';
import type { Db, Store } from '../store/store.ts';
import type { NewestPart, Row } from '../store/tables.ts';
import {
  deleteWhere,
  findOne,
  insertNew,
  listNewest,
  listWhere,
  updateWhere,
} from '../store/tables.ts';
import { unknownProvider } from './credentials.ts';
import { Refusal } from './refusal.ts';

/** An identity provider with what it may do, and how its requests are taken. */
export interface Provider extends ProviderTerms {
  /** Order of creation; 0: the default one. */
  readonly seq: number;
  readonly name: string;
  /** Epoch milliseconds; null: the default one was always there. */
  readonly createdAt: number | null;
  /** The id of the credential that made it; null as well. */
  readonly createdBy: string | null;
}

/** Limits and choices that a request names; the others stay as they are. */
export type ProviderWish = {
  readonly [Name in keyof ProviderTerms]?: ProviderTerms[Name] | undefined;
};

const DEFAULT: Provider = {
  seq: 0,
  name: DEFAULT_PROVIDER,
  ...DEFAULT_TERMS,
  createdAt: null,
  createdBy: null,
};
const LIMITS = ['domains', 'groupNames', 'may'];

/** How long a process may not know of other terms, in milliseconds. */
const KNOWN_MS = 1_000;

/** Brings what a provider has sent under its new terms; what it returns has that followed, once it is stored. */
type FollowTerms = (tx: Db, change: TermsChange) => Promise<() => void>;

/** Keeps the identity providers of a store, each with its own people and groups. */
export function createProviders({ store, clock }: { store: Store; clock: { now(): number } }) {
  let known: ReadonlyMap<string, ProviderTerms> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;

  async function readTerms(): Promise<void> {
    // While the store does not answer, what was read stays.
    known = (await readAll(store).catch(() => undefined)) ?? known;
  }

  const toRow = (name: string, wish: ProviderWish, by: string) => ({
    name,
    terms: JSON.stringify(wish),
    created_at: clock.now(),
    created_by: by,
  });
  return {
    /** How the requests of a provider are taken, as it was a moment ago; asked with each request. */
    findHandling(name: string) {
      if (performance.now() - readAt > KNOWN_MS) {
        readAt = performance.now();
        void readTerms();
      }
      const { tracedUntil, requestsPerSecond } = known.get(name) ?? DEFAULT_TERMS;
      return { isTraced: (tracedUntil ?? 0) > clock.now(), requestsPerSecond };
    },
    /** Adds a provider; a limit that is left out is none. `by` is the id of the credential that asks. @throws Refusal */
    async create(name: string, wish: ProviderWish, by: string): Promise<Provider> {
      const row = toRow(name, wish, by);
      const insert = () => store.write((tx) => insertNew(tx, 'providers', [row]));
      const [made] = name === DEFAULT_PROVIDER ? [] : await insert();
      if (made !== undefined) return toProvider(made);
      throw new Refusal(409, 'name-taken', 'Another provider has this name.');
    },
    /** Lists providers, the newest first and the default one last. */
    async list(part: NewestPart): Promise<Provider[]> {
      const others = { name: { '<>': DEFAULT_PROVIDER } };
      const providers = (await listNewest(store.read, 'providers', others, part)).map(toProvider);
      if (providers.length === part.limit || part.from <= DEFAULT.seq) return providers;
      return [...providers, { ...DEFAULT, ...(await findTerms(store.read, DEFAULT_PROVIDER)) }];
    },
    /** Changes a provider; the default one has no limits. `follow` brings under the terms what it has sent. @throws Refusal */
    async change(name: string, wish: ProviderWish, by: string, follow?: FollowTerms) {
      const isDefault = name === DEFAULT_PROVIDER;
      if (isDefault && LIMITS.some((limit) => limit in wish))
        throw new Refusal(409, 'default', NO_LIMITS);
      const changed = await store.write(async (tx) => {
        if (isDefault) await insertNew(tx, 'providers', [toRow(name, {}, by)]);
        const row = await lock(tx, name);
        const terms = JSON.stringify({ ...parseTerms(row), ...wish });
        await updateWhere(tx, 'providers', { name }, { terms });
        const [before, provider] = [toProvider(row), toProvider({ ...row, terms })];
        const followed = await follow?.(tx, { name, before, after: provider });
        return { before, provider, followed };
      });
      changed.followed?.();
      await readTerms();
      return changed;
    },
    /** Deletes a provider that nothing belongs to. @throws Refusal */
    delete(name: string): Promise<Provider> {
      if (name === DEFAULT_PROVIDER) throw new Refusal(409, 'default', NO_LIMITS);
      return store.write(async (tx) => {
        const row = await lock(tx, name);
        const { kind, plan = '' } = (await findBelonging(tx, name)) ?? {};
        if (kind !== undefined) throw new Refusal(409, 'in-use', `${IN_USE[kind]}${plan}`);
        await deleteWhere(tx, 'providers', { name });
        return toProvider(row);
      });
    },
  };
}

const NO_LIMITS = 'The default provider has no limits and is always there.';
const IN_USE = {
  credentials: 'The provider has a credential that is not revoked: revoke it first.',
  users: 'The provider has people: delete them through it first.',
  groups: 'The provider has groups: delete them through it first.',
  plan: 'A plan that hands over to the provider waits: approve or discard it first: ',
};

async function readAll({ read }: Store): Promise<ReadonlyMap<string, ProviderTerms>> {
  const rows = await listWhere(read, 'providers', {});
  return new Map(rows.map((row) => [row.name, parseTerms(row)]));
}

async function lock(tx: Db, name: string): Promise<Row<'providers'>> {
  const row = await findOne(tx, 'providers', { name }, { lock: true });
  if (row === undefined) throw unknownProvider();
  return row;
}

function toProvider(row: Row<'providers'>): Provider {
  const { seq, name, created_at: createdAt, created_by: createdBy } = row;
  const made = name === DEFAULT_PROVIDER ? DEFAULT : { seq, createdAt, createdBy };
  return { ...made, name, ...parseTerms(row) };
}
