import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { CLIENT_CREATE, TOKEN_CREATE } from '../../src/ops/lists/access.ts';
import { type Given, toCommandLine, toRequest } from '../../src/ops/lists/act.ts';
import { useChange, useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { KEPT, Refusal } from '../parts/act.tsx';
import { CommandLine } from '../parts/command.tsx';
import { Secret } from './secret.tsx';

/** Fields of the form, with their choices; the first one holds at first. */
const CHOICES = {
  kind: {
    scim: 'Token of a provider',
    client: 'OAuth client of a provider',
    operator: 'Token of an operator',
    metrics: 'Token for the metrics alone',
    reader: 'Token of a reader',
  },
  expires: {
    '365d': 'A year',
    '30d': '30 days',
    '90d': '90 days',
    '730d': 'Two years',
    never: 'Never',
  },
  secretExpires: { '730d': 'Two years', '365d': 'A year', '1095d': 'Three years' },
  profile: {
    lenient: 'Lenient: what providers send differently is repaired',
    strict: 'Strict: what the interoperability profile has refused is refused',
  },
} as const;

const FIRST = {
  ...{ kind: 'scim', name: '', expires: '365d', secretExpires: '730d' },
  ...{ profile: 'lenient', provider: 'default' },
};
/** The credential that is to be made. */
type Wish = typeof FIRST;
type Made = Ops<'NewToken'> | Ops<'NewClient'>;

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
      <Modal
        opened={isOpen}
        onClose={end}
        title="Make a credential"
        size="lg"
        {...(made && KEPT)}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {made ? (
          <Secret made={made} onDone={end} />
        ) : (
          <Making {...{ error, isPending }} make={(wish) => mutate(toSent(wish))} />
        )}
      </Modal>
    </>
  );
}

interface MakingOptions {
  readonly make: (wish: Wish) => void;
  readonly error: Error | null;
  readonly isPending: boolean;
}

function Making({ make, error, isPending }: MakingOptions) {
  const [wish, setWish] = useState<Wish>(FIRST);
  const providers = useList('ProviderList', '/providers').items;
  const isOfProvider = wish.kind === 'scim' || wish.kind === 'client';
  const toField = (name: keyof Wish, label: string, data: Readonly<Record<string, string>>) => (
    <Select
      label={label}
      data={Object.entries(data).map(([value, words]) => ({ value, label: words }))}
      value={wish[name]}
      onChange={(value) => value && setWish({ ...wish, [name]: value })}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make(wish);
  };
  const names = Object.fromEntries(providers.map(({ name }) => [name, name]));
  return (
    <Stack component="form" onSubmit={submit}>
      {toField('kind', 'What', CHOICES.kind)}
      <TextInput
        label="Name"
        description="Letters, digits, dots, hyphens and underscores; it stands beside everything done with it."
        value={wish.name}
        onChange={({ currentTarget }) => setWish({ ...wish, name: currentTarget.value })}
        required
        withAsterisk={false}
        data-autofocus
      />
      {wish.kind === 'client'
        ? toField('secretExpires', 'Ends after', CHOICES.secretExpires)
        : toField('expires', 'Ends after', CHOICES.expires)}
      {isOfProvider && providers.length > 1 && toField('provider', 'Provider', names)}
      {isOfProvider && toField('profile', 'Requests are read', CHOICES.profile)}
      <CommandLine text={toCommandLine(toAct(wish), toGiven(wish, 'my-name'))} />
      {error && <Refusal error={error} />}
      <Group justify="flex-end">
        <Button type="submit" loading={isPending}>
          Make it
        </Button>
      </Group>
    </Stack>
  );
}

function toAct({ kind }: Wish) {
  return kind === 'client' ? CLIENT_CREATE : TOKEN_CREATE;
}

function toSent(wish: Wish) {
  return toRequest(toAct(wish), toGiven(wish, ''));
}

/** What is sent: what is as usual is left out. */
function toGiven(wish: Wish, unnamed: string): Given {
  const { kind, name, profile, provider } = wish;
  const given = {
    ...(kind === 'client' ? { expires: wish.secretExpires } : { for: kind, expires: wish.expires }),
    ...((kind === 'client' || kind === 'scim') && { provider, profile }),
  };
  const usual: string[] = ['scim', 'default', 'lenient', kind === 'client' ? '730d' : '365d'];
  const others = Object.entries(given).filter(([, value]) => !usual.includes(value));
  return { name: name.trim() || unnamed, ...Object.fromEntries(others) };
}
