guidellm benchmark run --target http://chat:8000 --profile poisson --rate many --max-seconds 120 \
  --data "prompt_tokens=512,prompt_tokens_stdev=64,output_tokens=128" --random-seed 7 --output-path out.json
