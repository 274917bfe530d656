import { Loader, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { CommandLine } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { Frame } from '../parts/frame.tsx';
import { Empty, Page } from '../parts/page.tsx';

type Setting = Ops<'Setting'>;

const ORIGINS: Readonly<Record<Setting['from'], string>> = {
  default: 'default',
  file: 'file',
  environment: 'environment',
  'secret-file': 'file of a secret',
};

/** Settings in effect, each with the place that its value comes from. */
export function SettingsPage() {
  const settings = useRead('SettingList', '/settings');
  const [text, setText] = useState('');
  const [isChangedOnly, setChangedOnly] = useState(false);
  if (settings.error) return <Fault error={settings.error} />;
  if (!settings.data) return <Loader />;
  const word = text.trim().toLowerCase();
  const shown = settings.data.items.filter(
    ({ name, variable, from }) =>
      (!isChangedOnly || from !== 'default') &&
      (name.toLowerCase().includes(word) || variable.toLowerCase().includes(word)),
  );
  return (
    <Page
      title="Settings"
      lead="In effect in the process that answers, without secrets. They change with a restart."
      actions={
        <TextInput
          type="search"
          aria-label="Search"
          placeholder="Name or variable"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      }
    >
      <Switch
        label="Only what is not the default"
        checked={isChangedOnly}
        onChange={({ currentTarget }) => setChangedOnly(currentTarget.checked)}
      />
      {shown.length === 0 ? <Empty>No setting is called so.</Empty> : <Table settings={shown} />}
      <CommandLine text="scim-bridge settings" />
    </Page>
  );
}

function Table({ settings }: { readonly settings: readonly Setting[] }) {
  return (
    <Frame label="Settings" columns={['Setting', 'Value', 'From']}>
      {settings.map(({ name, variable, value, from, source }) => (
        <tr key={name}>
          <th scope="row">
            {name}
            <div className="detail">
              <code>{variable}</code>
            </div>
          </th>
          <td className="value">
            {value === null ? <span className="quiet">not set</span> : <code>{value}</code>}
          </td>
          <td>
            {ORIGINS[from]}
            {source && <div className="detail">{source}</div>}
          </td>
        </tr>
      ))}
    </Frame>
  );
}
