import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { Refusal } from '../parts/act.tsx';
import { CommandLine, quote } from '../parts/command.tsx';
import { type Made, Secret } from './secret.tsx';

const KINDS = [
  { value: 'scim', label: 'Token of a provider' },
  { value: 'client', label: 'OAuth client of a provider' },
  { value: 'operator', label: 'Token of an operator' },
  { value: 'metrics', label: 'Token for the metrics alone' },
  { value: 'reader', label: 'Token of a reader' },
];

/** Makes a token or a client, and shows its secret once. */
export function MakeCredential() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button onClick={open}>Make a credential</Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Make a credential"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Making onDone={close} />
      </Modal>
    </>
  );
}

function Making({ onDone }: { readonly onDone: () => void }) {
  const [kind, setKind] = useState('scim');
  const [name, setName] = useState('');
  const { made, make, error, isPending } = useMaking(kind, name.trim());
  if (made) return <Secret made={made} onDone={onDone} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make();
  };
  return (
    <Stack component="form" onSubmit={submit}>
      <Select
        label="What"
        data={KINDS}
        value={kind}
        onChange={(value) => setKind(value ?? 'scim')}
      />
      <TextInput
        label="Name"
        description="Letters, digits, dots, hyphens and underscores; it stands beside everything done with it."
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        required
        withAsterisk={false}
        data-autofocus
      />
      <CommandLine text={toCommand(kind, name.trim())} />
      {error && <Refusal error={error} />}
      <Group justify="flex-end">
        <Button type="submit" loading={isPending}>
          Make it
        </Button>
      </Group>
    </Stack>
  );
}

function useMaking(kind: string, name: string) {
  const token = useChange('NewToken');
  const client = useChange('NewSecret');
  const made: Made | undefined =
    (token.data && { secret: token.data.token }) ??
    (client.data && { id: client.data.id, secret: client.data.secret });
  const make = () => {
    if (kind === 'client') client.mutate({ path: '/clients', body: { name } });
    else token.mutate({ path: '/tokens', body: { name, for: kind } });
  };
  const error = kind === 'client' ? client.error : token.error;
  return { made, make, error, isPending: token.isPending || client.isPending };
}

function toCommand(kind: string, name: string): string {
  const named = name === '' ? '<name>' : quote(name);
  if (kind === 'client') return `scim-bridge client create ${named}`;
  return `scim-bridge token create ${named}${kind === 'scim' ? '' : ` --for ${kind}`}`;
}
