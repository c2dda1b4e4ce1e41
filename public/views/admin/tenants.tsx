import { useState } from 'preact/hooks';
import { moment } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Form } from '../parts/form.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Pending } from '../parts/pending.tsx';

export function Tenants() {
  const { api, fail } = useConsole();
  const [tenants, again] = useLoaded(() => api().listTenants(), []);
  const [name, setName] = useState('');
  const [id, setId] = useState('');
  const add = () =>
    api()
      .createTenant({ name: name.trim(), ...(id.trim() ? { id: id.trim() } : {}) })
      .then(() => {
        setName('');
        setId('');
        again();
      }, fail);
  if (tenants.state !== 'ready') return <Pending of={tenants} />;
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Tenants">
        <table class="list-table">
          <thead>
            <tr>
              <th>Name</th>
              <th>Id</th>
              <th>Since</th>
            </tr>
          </thead>
          <tbody>
            {tenants.value.tenants.map((tenant) => (
              <tr key={tenant.id}>
                <td>{tenant.name}</td>
                <td>{tenant.id}</td>
                <td>{Date.parse(tenant.createdAt) > 0 ? moment(tenant.createdAt) : 'the beginning'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Form class="card" onSubmit={add}>
        <h2>Add a tenant</h2>
        <div class="inline-form">
          <label class="field">
            Name
            <input required maxLength={120} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <label class="field">
            Id (optional)
            <input
              maxLength={64}
              placeholder="from the name"
              value={id}
              onInput={(event) => setId(event.currentTarget.value)}
            />
          </label>
          <Button type="submit" tone="primary">
            Add
          </Button>
        </div>
      </Form>
    </>
  );
}
