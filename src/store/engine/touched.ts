import type { DatabaseSync } from 'node:sqlite';

/** Names each user whose SCIM representation a statement may change: by its own row, or by the groups that it shows. */
const TRIGGERS = {
  row_changed: `update of id, attributes, version, modified_at, origin, provider, deleted_at on resources
    begin select touched(new.seq); end`,
  row_deleted: 'delete on resources begin select touched(old.seq); end',
  group_changed: `update of id, name, deleted_at on resources when new.type = 'group'
    begin select touched(target) from links where group_id = new.seq; end`,
  link_added: `insert on links when new.list = 'member' begin select touched(new.target); end`,
  link_changed: `update of group_id, target, desired, observed, by_rule on links
    begin select touched(old.target), touched(new.target); end`,
  link_deleted: 'delete on links begin select touched(old.target); end',
};

/** Calls `hear` with the numbers of such users. The tables have to be there, and all changes to come by this connection. */
export function watchUsers(writer: DatabaseSync, hear: (seq: number) => void): void {
  writer.function('touched', (seq) => {
    hear(Number(seq));
    return null;
  });
  for (const [name, trigger] of Object.entries(TRIGGERS))
    writer.exec(`create temp trigger ${name} after ${trigger}`);
}
