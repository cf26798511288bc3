"""The page at /docs: reads /openapi.json and shows it, with nothing fetched from anywhere else."""

DOCS_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>LIRA</title><meta name="viewport" content="width=device-width">
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
details{border:1px solid #ddd;border-radius:6px;margin:.5rem 0;padding:.5rem .8rem}
summary{cursor:pointer}code,pre,textarea{font:14px/1.45 ui-monospace,monospace}
pre{background:#f6f6f6;padding:.6rem;overflow:auto;white-space:pre-wrap}textarea{width:100%;box-sizing:border-box}
.m{display:inline-block;min-width:4.5rem;font-weight:700}h2{text-transform:capitalize;margin-top:2rem}
</style></head><body><h1>LIRA</h1><p id="about"></p><p>The schema: <a href="/openapi.json">/openapi.json</a></p><main></main>
<script>
const el=(tag,text,parent)=>{const e=document.createElement(tag);if(text!=null)e.textContent=text;parent.append(e);return e};
fetch('/openapi.json').then(r=>r.json()).then(api=>{
  document.getElementById('about').textContent=api.info.summary;
  const main=document.querySelector('main'),groups={};
  const deref=s=>s&&s.$ref?deref(s.$ref.split('/').slice(1).reduce((o,k)=>o[k],api)):s;
  const sample=s=>{s=deref(s)||{};if(s.examples)return s.examples[0];if(s.anyOf)return sample(s.anyOf[0]);if('default' in s)return s.default;
    if(s.type==='object')return Object.fromEntries((s.required||Object.keys(s.properties||{})).map(k=>[k,sample((s.properties||{})[k])]));
    if(s.type==='array')return[sample(s.items)];if(s.type==='integer'||s.type==='number')return 1;if(s.type==='boolean')return false;return ''};
  for(const[path,methods]of Object.entries(api.paths))for(const[method,op]of Object.entries(methods)){
    const tag=(op.tags||['other'])[0];
    if(!groups[tag]){el('h2',tag,main);groups[tag]=el('section',null,main)}
    const box=el('details',null,groups[tag]),head=el('summary',null,box);
    el('span',method.toUpperCase(),head).className='m';el('code',path,head);el('p',op.description||'',box);
    const inputs=(op.parameters||[]).map(p=>{
      const label=el('label',p.name+' ('+p.in+(p.required?', required':'')+') ',el('p',null,box));return[p,el('input',null,label)]});
    const json=op.requestBody&&op.requestBody.content['application/json'];let area;
    if(json){area=el('textarea',JSON.stringify(sample(json.schema),null,1),box);area.rows=8;
      const d=el('details',null,box);el('summary','Schema',d);el('pre',JSON.stringify(deref(json.schema),null,1),d)}
    const button=el('button','Send',box),out=el('pre','',box);
    button.onclick=async()=>{let url=path;const query=new URLSearchParams();
      for(const[p,i]of inputs){if(p.in==='path')url=url.replace('{'+p.name+'}',encodeURIComponent(i.value));else if(i.value)query.set(p.name,i.value)}
      if([...query].length)url+='?'+query;
      const r=await fetch(url,{method:method.toUpperCase(),headers:area?{'content-type':'application/json'}:{},body:area?area.value:undefined});
      const text=await r.text();let shown=text;try{shown=JSON.stringify(JSON.parse(text),null,1)}catch{}
      out.textContent=r.status+' '+(r.headers.get('content-type')||'')+'\\n'+shown};
  }
});
</script></body></html>
"""
