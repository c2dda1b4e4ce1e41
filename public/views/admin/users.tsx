import { useState } from 'preact/hooks';
import type { IssuedToken, User } from '../../../lib/wire/identity.ts';
import { fullTime, moment } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Form } from '../parts/form.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Pending } from '../parts/pending.tsx';
import { ListTable } from './list-table.tsx';
import { NameField } from './name-field.tsx';
import { NewToken } from './new-token.tsx';

export function Users() {
  const { api, store, fail } = useConsole();
  const [users, again] = useLoaded(() => api().listUsers(), []);
  const [tenants] = useLoaded(() => api().listTenants(), []);
  const [issued, setIssued] = useState<IssuedToken>();
  const [name, setName] = useState('');
  const [tenantId, setTenantId] = useState('');
  const [role, setRole] = useState<User['role']>('user');
  const act = (work: Promise<IssuedToken | undefined>, done?: () => void) =>
    work.then((made) => {
      if (made) setIssued(made);
      done?.();
      again();
    }, fail);
  // What could not be added stays, to be tried again.
  const add = () =>
    act(api().createUser({ name: name.trim(), role, ...(tenantId ? { tenantId } : {}) }), () => setName(''));
  const remove = (user: User) => {
    store.layer.value = {
      name: 'confirm',
      title: `Delete ${user.name}?`,
      text: 'The token stops working at once. Sessions stay with the tenant.',
      word: user.name,
      confirm: 'Delete',
      run: () =>
        act(
          api()
            .deleteUser(user.id)
            .then(() => undefined),
        ),
    };
  };
  if (users.state !== 'ready') return <Pending of={users} />;
  return (
    <>
      {issued && <NewToken issued={issued} onDone={() => setIssued(undefined)} />}
      <ListTable label="Users" columns={['Name', 'Tenant', 'Role', 'Last used']} actions>
        {users.value.users.map((user) => (
          <tr key={user.id}>
            <td>{user.name}</td>
            <td>{user.tenantId}</td>
            <td>{user.role === 'admin' ? 'administrator' : 'user'}</td>
            <td>
              {user.lastUsedAt ? <span title={fullTime(user.lastUsedAt)}>{moment(user.lastUsedAt)}</span> : 'never'}
            </td>
            <td class="actions">
              <Button tone="quiet" onClick={() => act(api().rotateToken(user.id))}>
                New token
              </Button>
              <Button tone="quiet" icon="trash" label={`Delete ${user.name}`} onClick={() => remove(user)} />
            </td>
          </tr>
        ))}
      </ListTable>
      <Form class="card" onSubmit={add}>
        <h2>Add a user</h2>
        <div class="inline-form">
          <NameField value={name} onInput={setName} />
          <label class="field">
            Tenant
            <select value={tenantId} onChange={(event) => setTenantId(event.currentTarget.value)}>
              <option value="">default</option>
              {tenants.state === 'ready' &&
                tenants.value.tenants
                  .filter(({ id }) => id !== 'default')
                  .map(({ id, name: title }) => (
                    <option key={id} value={id}>
                      {title}
                    </option>
                  ))}
            </select>
          </label>
          <label class="field">
            Role
            <select
              value={role}
              onChange={(event) => setRole(event.currentTarget.value === 'admin' ? 'admin' : 'user')}
            >
              <option value="user">user</option>
              <option value="admin">administrator</option>
            </select>
          </label>
          <Button type="submit" tone="primary">
            Add
          </Button>
        </div>
      </Form>
    </>
  );
}
