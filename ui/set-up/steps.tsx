/** Steps in the pages of Microsoft Entra ID. */
export function EntraSteps({ scimUrl }: { readonly scimUrl: string }) {
  return (
    <ol className="steps">
      <li>
        <em>Enterprise applications → New application → Create your own application</em>, “not found
        in the gallery”.
      </li>
      <li>
        <em>Provisioning → New configuration</em>. Tenant URL: <code>{scimUrl}</code>. Secret token:
        the token of its own.
      </li>
      <li>
        <em>Test connection</em>. Entra asks for a user who does not exist, and expects an empty
        list.
      </li>
      <li>
        <em>Mappings</em>: the defaults work. Everybody needs an e-mail address, in{' '}
        <code>mail</code> or as the user name.
      </li>
      <li>
        <em>Users and groups</em>: assign; then <em>Start provisioning</em>. Entra comes back every
        40 minutes; <em>Provision on demand</em> tries one user now.
      </li>
    </ol>
  );
}

/** Steps in the pages of Okta. */
export function OktaSteps({ scimUrl }: { readonly scimUrl: string }) {
  return (
    <ol className="steps">
      <li>
        <em>General → App Settings → Provisioning: SCIM</em>.
      </li>
      <li>
        <em>Provisioning → Integration</em>: base URL <code>{scimUrl}</code>, unique identifier{' '}
        <code>userName</code>; tick importing, pushing users, updates and groups.
      </li>
      <li>
        <em>Authentication Mode: HTTP Header</em>, and the token of its own. Then{' '}
        <em>Test Connector Configuration</em>.
      </li>
      <li>
        <em>Provisioning → To App</em>: tick <em>Create Users</em>, <em>Update User Attributes</em>,{' '}
        <em>Deactivate Users</em>. Leave <em>Sync Password</em> off.
      </li>
      <li>
        <em>Assignments</em> for users, <em>Push Groups</em> for groups; the group that assigns and
        the group that is pushed have to be two.
      </li>
    </ol>
  );
}
