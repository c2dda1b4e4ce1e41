import { useState } from 'preact/hooks';
import { moment } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Form } from '../parts/form.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Pending } from '../parts/pending.tsx';
import { ListTable } from './list-table.tsx';
import { NameField } from './name-field.tsx';

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
      <ListTable label="Tenants" columns={['Name', 'Id', 'Since']}>
        {tenants.value.tenants.map((tenant) => (
          <tr key={tenant.id}>
            <td>{tenant.name}</td>
            <td>{tenant.id}</td>
            <td>{Date.parse(tenant.createdAt) > 0 ? moment(tenant.createdAt) : 'the beginning'}</td>
          </tr>
        ))}
      </ListTable>
      <Form class="card" onSubmit={add}>
        <h2>Add a tenant</h2>
        <div class="inline-form">
          <NameField value={name} onInput={setName} />
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
