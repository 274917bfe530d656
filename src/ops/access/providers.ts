import type { Provider, ProviderWish } from '../../access/providers.ts';
import { foldCase } from '../../domain/fold.ts';
import { RIGHTS } from '../../domain/provider.ts';
import { listRoute, ok, route } from '../http/route.ts';
import { toView } from '../http/view.ts';
import { PROVIDER_CHANGE, PROVIDER_CREATE, PROVIDER_DELETE, PROVIDERS } from '../lists/access.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests about identity providers. */
export const providerRoutes = [
  listRoute(
    PROVIDERS,
    ({ access: { providers } }: OpsSources, _filters, part) => providers.list(part),
    toProviderView,
  ),
  route({
    ...PROVIDER_CREATE,
    async handle({ access: { providers } }: OpsSources, { body, operator }) {
      const { name, ...limits } = body;
      const provider = await providers.create(name, toWish(limits), operator.id);
      const json = toProviderView(provider);
      return { json, target: name, change: { after: toState(provider) } };
    },
  }),
  route({
    ...PROVIDER_CHANGE,
    async handle({ access: { providers } }: OpsSources, { params: { id }, body, operator }) {
      const { before, provider } = await providers.change(id, toWish(body), operator.id);
      const change = { before: toState(before), after: toState(provider) };
      return { ...ok(toProviderView(provider)), change };
    },
  }),
  route({
    ...PROVIDER_DELETE,
    async handle({ access: { providers } }: OpsSources, { params: { id } }) {
      const deleted = await providers.delete(id);
      return { ...ok(toProviderView(deleted)), change: { before: toState(deleted) } };
    },
  }),
] as const;

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
