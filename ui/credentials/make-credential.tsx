import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { access } from '../../src/ops/lists/access.ts';
import { toCommandLine, toRequest } from '../../src/ops/lists/list.ts';
import { useChange, useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Question, useDialog } from '../parts/dialog.tsx';
import { Copy } from '../parts/page.tsx';

type Choices = Readonly<Record<string, string>>;

const KINDS: Choices = {
  scim: 'Token of a provider',
  client: 'OAuth client of a provider',
  operator: 'Token of an operator',
  metrics: 'Token for the metrics alone',
  reader: 'Token of a reader',
};
const EXPIRIES: Choices = {
  '30d': '30 days',
  '90d': '90 days',
  '365d': 'A year',
  '730d': 'Two years',
  never: 'Never',
};
const SECRET_EXPIRIES: Choices = { '365d': 'A year', '730d': 'Two years', '1095d': 'Three years' };
const PROFILES: Choices = {
  lenient: 'Lenient: what providers send differently is repaired',
  strict: 'Strict: what the interoperability profile has refused is refused',
};

const FIRST = { for: 'scim', name: '', expires: '365d', profile: 'lenient', provider: 'default' };
type Wish = typeof FIRST;

/** Makes a token or a client, and shows its secret once. */
export function MakeCredential() {
  const { show } = useDialog();
  return <Button onClick={() => show(<Making />)}>Make a credential</Button>;
}

function Making() {
  const [wish, setWish] = useState(FIRST);
  const { data: made, mutate, error, isPending } = useChange<Made>();
  const providers = useRead('ProviderList', '/providers').data?.items ?? [];
  const act = wish.for === 'client' ? access.CLIENT_CREATE : access.TOKEN_CREATE;
  const set = (name: keyof Wish, value: string) => setWish({ ...wish, [name]: value });
  const toField = (name: keyof Wish, label: string, choices: Choices) => (
    <Select
      label={label}
      data={Object.entries(choices).map(([value, words]) => ({ value, label: words }))}
      value={wish[name]}
      onChange={(value) => value && set(name, value)}
    />
  );
  const names = Object.fromEntries(providers.map(({ name }) => [name, name]));
  return (
    <Question
      isPending={isPending}
      error={error}
      title="Make a credential"
      label="Make it"
      command={toCommandLine(act, { ...toGiven(wish), name: wish.name.trim() || 'my-name' })}
      isReady={wish.name.trim() !== ''}
      run={() => mutate(toRequest(act, toGiven(wish)))}
      isSecret
      done={made && <Secret made={made} />}
    >
      <Stack>
        {toField('for', 'What', KINDS)}
        <TextInput
          label="Name"
          description="Letters, digits, dots, hyphens and underscores; it stands beside everything done with it."
          value={wish.name}
          onChange={({ currentTarget }) => set('name', currentTarget.value)}
          data-autofocus
        />
        {toField('expires', 'Ends after', wish.for === 'client' ? SECRET_EXPIRIES : EXPIRIES)}
        {isOfProvider(wish) && providers.length > 1 && toField('provider', 'Provider', names)}
        {isOfProvider(wish) && toField('profile', 'Requests are read', PROFILES)}
      </Stack>
    </Question>
  );
}

function isOfProvider(wish: Wish): boolean {
  return wish.for === 'client' || wish.for === 'scim';
}

function toGiven(wish: Wish) {
  const { for: purpose, expires, profile, provider } = wish;
  const name = wish.name.trim();
  if (purpose === 'client')
    return { name, expires: expires in SECRET_EXPIRIES ? expires : '730d', profile, provider };
  const token = { name, for: purpose, expires };
  return isOfProvider(wish) ? { ...token, profile, provider } : token;
}

type Made = Ops<'NewToken'> | Ops<'NewClient'>;

/** Shows a secret, this once. */
export function Secret({ made }: { readonly made: Made }) {
  const shown =
    'token' in made
      ? { Token: made.token ?? '' }
      : { 'Client id': made.id, 'Client secret': made.secret ?? '' };
  return (
    <Stack>
      <Alert color="yellow" title="Copy it now">
        You cannot see this again: the bridge keeps only a digest.
      </Alert>
      {Object.entries(shown).map(([label, text]) => (
        <Group key={label} align="flex-end" wrap="nowrap" gap="xs">
          <TextInput label={label} value={text} readOnly flex={1} />
          <Copy text={text} name={label} />
        </Group>
      ))}
    </Stack>
  );
}
