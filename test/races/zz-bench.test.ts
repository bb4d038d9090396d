import { it } from 'vitest';
import { startTable } from '/work/main/test/support/dynamodb.ts';
import { promptStore } from '#adapters/prompt-store.ts';
import { startSqs } from '/work/main/infra/local/sqs-emulator.ts';
import { SQSClient, CreateQueueCommand } from '@aws-sdk/client-sqs';
import { runnerQueues } from '#adapters/queues.ts';
it('bench', async () => {
  const t = await startTable();
  const store = promptStore(t.client, t.name, Date.now);
  const th = (i:number)=>({revision_id:'r',session_id:'s',alias:'a'+i});
  for (const N of [500, 500]) {
    let s = performance.now();
    for (let i=0;i<N;i++) await store.read(th(i), {items:['x'], requestKey:'0123456789012345'});
    console.log('read', (performance.now()-s)/N);
    s = performance.now();
    for (let i=0;i<N;i++) await store.save({...th(i), session_id: String(s)}, {rev:0, outbox:[]});
    console.log('save', (performance.now()-s)/N);
    s = performance.now();
    for (let i=0;i<N;i++) await store.putReceipt(th(i), 'x', {use:'next_turn'});
    console.log('receipt', (performance.now()-s)/N);
    s = performance.now();
    await Promise.all(Array.from({length:N},(_, i)=>store.read(th(i), {items:['x'], requestKey:'0123456789012345'})));
    console.log('read parallel', (performance.now()-s)/N);
    s = performance.now();
    for (let i=0;i<100;i++) await store.due(1, 10);
    console.log('due', (performance.now()-s)/100);
  }
  const e = await startSqs({ port: 0, region: 'us-east-1' });
  const sqs = new SQSClient({ endpoint: e.url, region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'runner.fifo', Attributes: {FifoQueue:'true'} }));
  const q = runnerQueues(sqs, {default: QueueUrl});
  for (let k=0;k<2;k++){
  let s = performance.now();
  for (let i=0;i<500;i++) await q.send('default', {message_id: 'm'+i+k, type:'next_turn', thread: th(i), item: {} as never});
  console.log('sqs send', (performance.now()-s)/500);
  }
  let s = performance.now();
  const r = await (await fetch(e.url + '/_fauxqs/queues/runner.fifo')).json() as any;
  console.log('inspect 1000', performance.now()-s, JSON.stringify(r).slice(0, 600));
}, 60000);
