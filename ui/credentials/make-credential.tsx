import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { CLIENT_CREATE, TOKEN_CREATE } from '../../src/ops/lists/access.ts';
import { type Given, toCommandLine, toRequest } from '../../src/ops/lists/act.ts';
import { useChange, useList } from '../api/queries.ts';
import { Dialog, Refusal } from '../parts/act.tsx';
import { CommandLine } from '../parts/page.tsx';
import { type Made, Secret } from './secret.tsx';

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

/** What holds unless a person chooses otherwise, and is not sent. */
const USUAL = { for: 'scim', expires: '365d', profile: 'lenient', provider: 'default' };
const USUAL_OF_CLIENT = { ...USUAL, for: 'client', expires: '730d' };
type Wish = typeof USUAL & { readonly name: string };

/** Makes a token or a client, and shows its secret once. */
export function MakeCredential() {
  const [isOpen, { open, close }] = useDisclosure();
  const { data: made, mutate, error, isPending, reset } = useChange<Made>();
  const end = () => {
    close();
    reset();
  };
  return (
    <>
      <Button onClick={open}>Make a credential</Button>
      <Dialog {...{ isOpen, close: end }} title="Make a credential" isKept={made !== undefined}>
        {made ? (
          <Secret made={made} onDone={end} />
        ) : (
          <Making
            {...{ error, isPending }}
            make={(wish) => mutate(toRequest(toAct(wish), toGiven(wish)))}
          />
        )}
      </Dialog>
    </>
  );
}

function Making({
  make,
  error,
  isPending,
}: {
  readonly make: (wish: Wish) => void;
  readonly error: Error | null;
  readonly isPending: boolean;
}) {
  const [wish, setWish] = useState<Wish>({ ...USUAL, name: '' });
  const providers = useList('ProviderList', '/providers').data ?? [];
  const isClient = wish.for === 'client';
  const isOfProvider = isClient || wish.for === 'scim';
  const toField = (name: keyof Wish, label: string, choices: Choices) => (
    <Select
      label={label}
      data={Object.entries(choices).map(([value, words]) => ({ value, label: words }))}
      value={wish[name]}
      onChange={(value) => value && setWish(withValue(wish, name, value))}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make(wish);
  };
  const names = Object.fromEntries(providers.map(({ name }) => [name, name]));
  const shown = { ...wish, name: wish.name || 'my-name' };
  return (
    <Stack component="form" onSubmit={submit}>
      {toField('for', 'What', KINDS)}
      <TextInput
        label="Name"
        description="Letters, digits, dots, hyphens and underscores; it stands beside everything done with it."
        value={wish.name}
        onChange={({ currentTarget }) => setWish({ ...wish, name: currentTarget.value })}
        required
        withAsterisk={false}
        data-autofocus
      />
      {toField('expires', 'Ends after', isClient ? SECRET_EXPIRIES : EXPIRIES)}
      {isOfProvider && providers.length > 1 && toField('provider', 'Provider', names)}
      {isOfProvider && toField('profile', 'Requests are read', PROFILES)}
      <CommandLine text={toCommandLine(toAct(shown), toGiven(shown))} />
      {error && <Refusal error={error} />}
      <Group justify="flex-end">
        <Button type="submit" loading={isPending}>
          Make it
        </Button>
      </Group>
    </Stack>
  );
}

function withValue(wish: Wish, name: keyof Wish, value: string): Wish {
  const next = { ...wish, [name]: value };
  return name === 'for' ? { ...next, expires: toUsual(next).expires } : next;
}

function toUsual(wish: Wish): typeof USUAL {
  return wish.for === 'client' ? USUAL_OF_CLIENT : USUAL;
}

function toAct(wish: Wish) {
  return wish.for === 'client' ? CLIENT_CREATE : TOKEN_CREATE;
}

/** What is sent: only a provider has a provider and a profile. */
function toGiven({ name, ...wish }: Wish): Given {
  const usual = new Map(Object.entries(toUsual({ name, ...wish })));
  const others = Object.entries(wish).filter(([key, value]) => usual.get(key) !== value);
  const isOfProvider = wish.for === 'client' || wish.for === 'scim';
  const some = others.filter(([key]) => isOfProvider || key === 'for' || key === 'expires');
  return { name: name.trim(), ...Object.fromEntries(some) };
}
