import type { Provider, ProviderWish } from '../../access/providers.ts';
import { foldCase } from '../../domain/fold.ts';
import { RIGHTS } from '../../domain/provider.ts';
import type { Belonging } from '../../store/credentials/providers.ts';
import { listRoute, ok, problem, type Refusal, route } from '../http/route.ts';
import { toView } from '../http/view.ts';
import { PROVIDER_CHANGE, PROVIDER_CREATE, PROVIDER_DELETE, PROVIDERS } from '../lists/access.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { type AccessNeeds, unknownProvider } from './tokens.ts';

/** Requests about identity providers. */
export const providerRoutes = [
  listRoute(
    PROVIDERS,
    ({ access: { providers } }: AccessNeeds, _filters, part) => providers.list(part),
    toProviderView,
  ),
  route({
    ...PROVIDER_CREATE,
    async handle({ access: { providers } }: AccessNeeds, { body, operator }) {
      const { name, ...limits } = body;
      const made = await providers.create(name, toWish(limits), operator.id);
      if (made.kind === 'taken')
        return problem(409, 'name-taken', 'Another provider has this name.');
      const json = toProviderView(made.provider);
      return { status: 201, json, target: name, change: { after: toState(made.provider) } };
    },
  }),
  route({
    ...PROVIDER_CHANGE,
    async handle({ access: { providers } }: AccessNeeds, { params: { id }, body, operator }) {
      const changed = await providers.change(id, toWish(body), operator.id);
      if (changed.kind !== 'changed') return toRefusal(changed.kind);
      const change = { before: toState(changed.before), after: toState(changed.provider) };
      return { ...ok(toProviderView(changed.provider)), change };
    },
  }),
  route({
    ...PROVIDER_DELETE,
    async handle({ access: { providers } }: AccessNeeds, { params: { id } }) {
      const deleted = await providers.delete(id);
      if (deleted.kind === 'in-use') return problem(409, 'in-use', IN_USE[deleted.by]);
      if (deleted.kind !== 'deleted') return toRefusal(deleted.kind);
      return {
        ...ok(toProviderView(deleted.provider)),
        change: { before: toState(deleted.provider) },
      };
    },
  }),
] as const;

const IN_USE: Readonly<Record<Belonging, string>> = {
  credentials: 'The provider has a credential that is not revoked: revoke it first.',
  users: 'The provider has people: delete them through it first.',
  groups: 'The provider has groups: delete them through it first.',
};

function toRefusal(kind: 'unknown' | 'default'): Refusal {
  if (kind === 'unknown') return unknownProvider();
  return problem(409, 'default', 'The default provider has no limits and is always there.');
}

function toWish({ domains, groupNames, may, ...handling }: OpsJson<'LimitsBody'>): ProviderWish {
  return {
    limits: {
      ...(domains !== undefined && { domains: domains && [...new Set(domains.map(foldCase))] }),
      ...(groupNames !== undefined && { groupNames }),
      ...(may !== undefined && { may: RIGHTS.filter((right) => may.includes(right)) }),
    },
    handling,
  };
}

function toProviderView(provider: Provider): OpsJson<'Provider'> {
  return toView('Provider', provider, {});
}

/** The state of a provider for the acts of operators; its name is the subject. */
function toState({
  seq: _,
  name: __,
  createdAt: ___,
  createdBy: ____,
  ...state
}: Provider): object {
  return state;
}
