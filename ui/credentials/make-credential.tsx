import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useChange, useList } from '../api/queries.ts';
import { KEPT, Refusal } from '../parts/act.tsx';
import { CommandLine, quote } from '../parts/command.tsx';
import { type Made, Secret } from './secret.tsx';

/** Provider of whatever names none. */
const DEFAULT_PROVIDER = 'default';
const KINDS = [
  { value: 'scim', label: 'Token of a provider' },
  { value: 'client', label: 'OAuth client of a provider' },
  { value: 'operator', label: 'Token of an operator' },
  { value: 'metrics', label: 'Token for the metrics alone' },
  { value: 'reader', label: 'Token of a reader' },
];
const TOKEN_TERMS = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '365d', label: 'A year' },
  { value: '730d', label: 'Two years' },
  { value: 'never', label: 'Never' },
];
const SECRET_TERMS = [
  { value: '365d', label: 'A year' },
  { value: '730d', label: 'Two years' },
  { value: '1095d', label: 'Three years' },
];
const PROFILES = [
  { value: 'lenient', label: 'Lenient: what providers send differently is repaired' },
  { value: 'strict', label: 'Strict: what the interoperability profile has refused is refused' },
];

/** The credential that is to be made. */
interface Wish {
  readonly kind: string;
  readonly name: string;
  readonly expires: string;
  readonly profile: string;
  readonly provider: string;
}

/** Makes a token or a client, and shows its secret once. */
export function MakeCredential() {
  const [isOpen, { open, close }] = useDisclosure();
  const { made, make, error, isPending, forget } = useMaking();
  const end = () => {
    close();
    forget();
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
          <Making make={make} error={error} isPending={isPending} />
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
  const [wish, setWish] = useState<Wish>({
    ...{ kind: 'scim', name: '', expires: '365d', profile: 'lenient' },
    provider: DEFAULT_PROVIDER,
  });
  const providers = useProviders();
  const set = (change: Partial<Wish>) => setWish({ ...wish, ...change });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make({ ...wish, name: wish.name.trim() });
  };
  return (
    <Stack component="form" onSubmit={submit}>
      <Select
        label="What"
        data={KINDS}
        value={wish.kind}
        onChange={(kind) => set({ kind: kind ?? 'scim', expires: toTerm(kind) })}
      />
      <TextInput
        label="Name"
        description="Letters, digits, dots, hyphens and underscores; it stands beside everything done with it."
        value={wish.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        required
        withAsterisk={false}
        data-autofocus
      />
      <Select
        label="Ends after"
        data={wish.kind === 'client' ? SECRET_TERMS : TOKEN_TERMS}
        value={wish.expires}
        onChange={(expires) => set({ expires: expires ?? toTerm(wish.kind) })}
      />
      {isOfProvider(wish) && providers.length > 1 && (
        <Select
          label="Provider"
          data={providers}
          value={wish.provider}
          onChange={(provider) => set({ provider: provider ?? DEFAULT_PROVIDER })}
        />
      )}
      {isOfProvider(wish) && (
        <Select
          label="Requests are read"
          data={PROFILES}
          value={wish.profile}
          onChange={(profile) => set({ profile: profile ?? 'lenient' })}
        />
      )}
      <CommandLine text={toCommand(wish)} />
      {error && <Refusal error={error} />}
      <Group justify="flex-end">
        <Button type="submit" loading={isPending}>
          Make it
        </Button>
      </Group>
    </Stack>
  );
}

/** Gives the term that the command line gives by default. */
function toTerm(kind: string | null): string {
  return kind === 'client' ? '730d' : '365d';
}

function isOfProvider({ kind }: Wish): boolean {
  return kind === 'scim' || kind === 'client';
}

/** Names of all providers; one is always there. */
function useProviders(): string[] {
  return useList('ProviderList', '/providers', { topics: ['access'] }).items.map(
    ({ name }) => name,
  );
}

function useMaking() {
  const token = useChange('NewToken');
  const client = useChange('NewClient');
  const made: Made | undefined =
    (token.data && { secret: token.data.token }) ??
    (client.data?.secret ? { id: client.data.id, secret: client.data.secret } : undefined);
  const make = (wish: Wish) => {
    const { kind, name, expires, profile, provider } = wish;
    const body = { name, expires, ...(isOfProvider(wish) && { profile, provider }) };
    if (kind === 'client') client.mutate({ path: '/clients', body });
    else token.mutate({ path: '/tokens', body: { ...body, for: kind } });
  };
  const forget = () => {
    token.reset();
    client.reset();
  };
  const error = client.error ?? token.error;
  return { made, make, error, isPending: token.isPending || client.isPending, forget };
}

function toCommand(wish: Wish): string {
  const { kind, name, expires, profile, provider } = wish;
  const named = name.trim() === '' ? 'my-name' : quote(name.trim());
  const word = kind === 'client' ? 'client' : 'token';
  const purpose = kind === 'client' || kind === 'scim' ? '' : ` --for ${kind}`;
  const term = expires === toTerm(kind) ? '' : ` --expires ${expires}`;
  const read = isOfProvider(wish) && profile !== 'lenient' ? ` --profile ${profile}` : '';
  const of = isOfProvider(wish) && provider !== DEFAULT_PROVIDER ? ` --provider ${provider}` : '';
  return `scim-bridge ${word} create ${named}${of}${purpose}${term}${read}`;
}
